import { defineCommand } from '../command.ts';
import { escapeLine } from '../escape.ts';

export const configCheck = defineCommand({
  name: 'config check',
  summary: 'Check the configuration file',
  about: 'A mistake is told with its place and the nearest known key.',
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['after an edit', 'config check'],
    ['a configuration elsewhere', 'config check --home /srv/caisson'],
  ],
  run: async (_given, context) => {
    const { config } = await context.service();
    if (context.json) await context.printJson({ ok: true, home: config.home, notices: config.notices });
    else if (!context.quiet) await context.print(`the configuration in ${escapeLine(config.home)} is fine\n`);
    return 0;
  },
});
