import { defineCommand } from '../command.ts';

export const sessionClose = defineCommand({
  name: 'session close',
  summary: 'End a session and forget its state',
  operands: [
    { name: 'TASK', count: 'one' },
    { name: 'NAME', count: 'one' },
  ],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['forget it', 'session close build dev']],
  run: async ({ operands: [taskId = '', name = ''] }, context) => {
    await (await context.service()).sessions.close({ taskId, name }, context.options);
    if (context.json) await context.printJson({ name });
    return 0;
  },
});
