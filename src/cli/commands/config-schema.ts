import { defineCommand } from '../command.ts';

export const configSchema = defineCommand({
  name: 'config schema',
  summary: 'Print the JSON Schema of the configuration file',
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['for an editor that knows schemas', 'config schema > caisson.schema.json']],
  run: async (_given, context) => {
    const { config } = await context.service();
    await context.printJson(await config.schema());
    return 0;
  },
});
