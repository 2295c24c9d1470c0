import { CaissonError } from '../../errors.ts';
import { nearest } from '../../lib/nearest.ts';
import { defineCommand } from '../command.ts';

export const configShow = defineCommand({
  name: 'config show',
  summary: 'Show the configuration in force',
  operands: [{ name: 'PREFIX', count: 'optional' }],
  runs: false,
  exitsAsCommand: false,
  options: { origin: { type: 'flag', about: 'also where each value came from' } },
  examples: [
    ['every key, and where its value came from', 'config show --origin'],
    ['only one part', 'config show terminal'],
  ],
  run: async (given, context) => {
    const [prefix] = given.operands;
    const { config } = await context.service();
    const all = config.show();
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
