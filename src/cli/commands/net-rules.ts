/** Rules of one sandbox whose network is filtered. */
import type { NetworkRules, NetworkSuggestion } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';

const task = { name: 'TASK', count: 'one' } as const;
const hosts = { name: 'HOST', count: 'many' } as const;

const kinds = {
  allow: {
    summary: 'Allow hosts to one sandbox',
    about: `Beside what the configuration allows, until the sandbox is removed; it holds at once. HOST is
example.com (that name alone), *.example.com (what is below it) or example.com:8443 (that port of it).
A host that network.deny lists stays denied. For all sandboxes write it into network.allow of the
configuration file.`,
    examples: [
      ['a host', 'net allow build example.com'],
      ['what is below a domain, and a port', 'net allow build "*.example.org" api.example.com:8443'],
    ],
  },
  deny: {
    summary: 'Deny hosts to one sandbox',
    about: `HOST is denied with everything below it, whatever else allows it, until the sandbox is removed.
Connections that are open are cut.`,
    examples: [['a domain', 'net deny build example.com']],
  },
  forget: {
    summary: 'Take back what was allowed or denied to one sandbox',
    about: `HOST as \`net show\` prints it. What the configuration says holds again; connections that it
forbids are cut.`,
    examples: [['a host', 'net forget build example.com']],
  },
} as const;

const changing = (kind: keyof typeof kinds) =>
  defineCommand({
    name: `net ${kind}`,
    ...kinds[kind],
    operands: [task, hosts],
    runs: false,
    exitsAsCommand: false,
    options: {},
    run: async ({ operands: [name = '', ...named] }, context) => {
      const { network } = await context.service();
      await printRules(await network.change(name, { [kind]: named }, context.options), context);
      return 0;
    },
  });

export const netAllow = changing('allow');
export const netDeny = changing('deny');
export const netForget = changing('forget');

export const netShow = defineCommand({
  name: 'net show',
  summary: 'Show what a sandbox with a filtered network may reach',
  about: 'What the configuration says for it, and what was allowed and denied beside it. Deny goes before allow.',
  operands: [task],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['the rules of a task', 'net show build']],
  run: async ({ operands: [name = ''] }, context) => {
    const { network } = await context.service();
    await printRules(await network.rules(name, context.options), context);
    return 0;
  },
});

async function printRules(rules: NetworkRules, context: Context): Promise<void> {
  if (context.json) return await context.printJson(rules);
  if (context.quiet) return;
  const { mode, configured, allow, deny, once } = rules;
  const row = (verdict: string, from: string) => (what: string) => [verdict, what, from];
  const rows = [
    ...configured.deny.map(row('deny', 'network.deny')),
    ...deny.map(row('deny', 'this sandbox')),
    ...configured.allow.map(row('allow', 'network.allow')),
    ...configured.presets.map(row('allow', 'network.presets')),
    ...allow.map(row('allow', 'this sandbox')),
    ...once.map(row('allow', 'the next command')),
    ...(mode === 'observe' ? [['allow', 'every public name', '--network observe']] : []),
    ...configured.ports.map((port) => ['port', String(port), 'network.ports']),
  ];
  if (rows.length === 0) return context.say('no rule: nothing is reached');
  await context.printTable(['VERDICT', 'WHAT', 'BY'], rows);
}

export const netSuggest = defineCommand({
  name: 'net suggest',
  summary: 'Propose rules for what a sandbox has asked for',
  about: `From the record of its connections: what no rule of the configuration allows becomes presets, hosts,
and patterns where three or more names stand below one domain. Read them before you use them: the names
come from the sandbox. With --network observe all public names pass and are recorded, so that one run
shows what a task needs.`,
  operands: [task],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['learn what a task needs', 'run --task build --network observe -- npm ci'],
    ['what it was', 'net suggest build'],
  ],
  run: async ({ operands: [name = ''] }, context) => {
    const { network } = await context.service();
    const suggestion = await network.suggest(name, context.options);
    if (context.json) await context.printJson(suggestion);
    else if (isEmpty(suggestion)) context.say('nothing was asked for that the rules do not allow');
    else await context.print(suggestionText(suggestion));
    return 0;
  },
});

const isEmpty = ({ presets, allow }: NetworkSuggestion): boolean => presets.length + allow.length === 0;

/** Loads as it is, as a part of config.yaml. */
function suggestionText({ taskId, presets, allow }: NetworkSuggestion): string {
  const lines = [
    `# ${escapeLine(taskId)}, for config.yaml. For this sandbox alone: caisson net allow ${escapeLine(taskId)} HOST`,
    'network:',
    ...(presets.length === 0 ? [] : [`  presets: [${presets.join(', ')}]`]),
    ...(allow.length === 0 ? [] : ['  allow:', ...allow.map((host) => `    - ${JSON.stringify(host)}`)]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
