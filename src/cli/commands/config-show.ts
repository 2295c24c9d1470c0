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
    const entries = config
      .show()
      .filter(({ key }) => prefix === undefined || key === prefix || key.startsWith(`${prefix}.`));
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

function show(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '-');
}
