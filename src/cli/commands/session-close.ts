import { defineCommand } from '../command.ts';
import { sessionOf, sessionOperands } from '../session.ts';

export const sessionClose = defineCommand({
  name: 'session close',
  summary: 'End a session and forget its state',
  operands: sessionOperands,
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['forget it', 'session close build dev']],
  run: async ({ operands }, context) => {
    const session = sessionOf(operands);
    await (await context.service()).sessions.close(session, context.options);
    if (context.json) await context.printJson({ name: session.name });
    return 0;
  },
});
