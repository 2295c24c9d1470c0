import { CaissonError } from '../../errors.ts';
import { nearest } from '../../lib/nearest.ts';
import type { Pending } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { pendingLines } from '../pending.ts';

export const configShow = defineCommand({
  name: 'config show',
  summary: 'Show the configuration in force',
  about: `Of the service that runs; without one, of the file. What the file says since the service has read it
is listed on stderr, or as "pending" beside its key.`,
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
    const { config, pending } = await inForce(context);
    const all = await config.show(given.text('task'));
    const entries = all.filter(({ key }) => prefix === undefined || key === prefix || key.startsWith(`${prefix}.`));
    if (prefix !== undefined && entries.length === 0) throw unknownKeyError(prefix, all);
    const origin = given.flag('origin');
    if (context.json)
      await context.printJson(
        entries.map(({ key, value, origin: from }) => ({
          key,
          value,
          ...(origin ? { origin: from } : {}),
          ...waiting(pending, key),
        })),
      );
    else {
      for (const text of pending === null ? [] : pendingLines(pending)) context.notice(text);
      const head = ['KEY', 'VALUE', ...(origin ? ['ORIGIN'] : [])];
      await context.printTable(
        head,
        entries.map(({ key, value, origin: from }) => [key, show(value), ...(origin ? [from] : [])]),
      );
    }
    return 0;
  },
});

async function inForce(context: Context) {
  const line = await context.line();
  if (line === null) return { config: (await context.settings()).config, pending: null };
  const { config } = line.client;
  return { config, pending: await config.pending() };
}

function waiting(pending: Pending | null, key: string): { readonly pending?: object } {
  if (pending === null) return {};
  const about = (lines: readonly string[]): readonly string[] =>
    lines.filter((line) => line.startsWith(`${key}: `) || line.startsWith(`${key}.`));
  const [holds, loosens] = [about(pending.holds), about(pending.loosens)];
  const [reload, restart] = [pending.reload.includes(key), pending.restart.includes(key)];
  return reload || restart || holds.length + loosens.length > 0 ? { pending: { holds, loosens, reload, restart } } : {};
}

function unknownKeyError(prefix: string, known: readonly { readonly key: string }[]): CaissonError {
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

export const configCheck = defineCommand({
  name: 'config check',
  summary: 'Check the configuration file',
  about: `A mistake is reported with its place and the nearest known key: in keys and values, names of
backends, and rules.`,
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
    await (await context.configFile()).check();
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
