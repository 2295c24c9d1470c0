import { CaissonError } from '../../errors.ts';
import { nearest } from '../../lib/nearest.ts';
import { defineCommand } from '../command.ts';
import { escapeLine } from '../escape.ts';

export const configShow = defineCommand({
  name: 'config show',
  summary: 'Show the configuration in force',
  operands: [{ name: 'PREFIX', count: 'optional' }],
  runs: false,
  exitsAsCommand: false,
  options: {
    origin: { type: 'flag', about: 'also where each value came from' },
    task: { type: 'text', value: 'TASK', about: 'what holds for a task, before it has a sandbox' },
  },
  examples: [
    ['every key, and where its value came from', 'config show --origin'],
    ['only one part', 'config show terminal'],
  ],
  run: async (given, context) => {
    const [prefix] = given.operands;
    const { config } = await context.settings();
    const all = await config.show(given.text('task'));
    const entries = all.filter(({ key }) => prefix === undefined || key === prefix || key.startsWith(`${prefix}.`));
    if (prefix !== undefined && entries.length === 0) throw unknownKey(prefix, all);
    const origin = given.flag('origin');
    if (context.json)
      await context.printJson(
        entries.map(({ key, value, origin: from }) => (origin ? { key, value, origin: from } : { key, value })),
      );
    else {
      const head = ['KEY', 'VALUE', ...(origin ? ['ORIGIN'] : [])];
      await context.printTable(
        head,
        entries.map(({ key, value, origin: from }) => [key, show(value), ...(origin ? [from] : [])]),
      );
    }
    return 0;
  },
});

function unknownKey(prefix: string, known: readonly { readonly key: string }[]): CaissonError {
  const keys = known.map(({ key }) => key);
  const sections = keys.map((key) => key.split('.', 1)[0] ?? key);
  const near = keys.find((key) => key.endsWith(`.${prefix}`)) ?? nearest(prefix, [...keys, ...sections]);
  return new CaissonError('invalid_argument', `there is no key ${JSON.stringify(prefix)} in the configuration`, {
    remedy: near === null ? '`caisson config show` lists all of them' : `did you mean ${near}?`,
  });
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '-');
}

export const configSet = defineCommand({
  name: 'config set',
  summary: 'Set one key in the configuration file',
  about: `VALUE is written as the file has it: 5m, null, true, [a, b]. Comments and order stay. A value that
the check refuses changes nothing. Put a value that begins with - after --.`,
  operands: [
    { name: 'KEY', count: 'one' },
    { name: 'VALUE', count: 'one' },
  ],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['another default image', 'config set terminal.docker_image debian:12'],
    ['less memory for the tasks of CI', 'config set tasks.ci-*.container_memory 2g'],
  ],
  run: async (given, context) => {
    const [key = '', text = ''] = given.operands;
    const { config } = await context.service();
    await config.set(key, text);
    context.notice(`${key} is set in ${config.home}/config.yaml`);
    return 0;
  },
});

export const configCheck = defineCommand({
  name: 'config check',
  summary: 'Check the configuration file',
  about: 'A mistake is reported with its place and the nearest known key.',
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['after an edit', 'config check'],
    ['a configuration elsewhere', 'config check --home /srv/caisson'],
  ],
  run: async (_given, context) => {
    const { config } = await context.settings();
    if (context.json) await context.printJson({ ok: true, home: config.home, notices: config.notices });
    else if (!context.quiet) await context.print(`the configuration in ${escapeLine(config.home)} is fine\n`);
    return 0;
  },
});

export const configSchema = defineCommand({
  name: 'config schema',
  summary: 'Print the JSON Schema of the configuration file',
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['for an editor that knows schemas', 'config schema > caisson.schema.json']],
  run: async (_given, context) => {
    const { config } = await context.settings();
    await context.printJson(await config.schema());
    return 0;
  },
});
