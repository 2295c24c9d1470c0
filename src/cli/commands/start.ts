import { defineCommand } from '../command.ts';
import { preparing, tellDegraded, tellLoss } from '../execute.ts';

export const start = defineCommand({
  name: 'start',
  summary: 'Start a stopped sandbox',
  operands: [{ name: 'TASK', count: 'one' }],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['start it before it is needed', 'start build']],
  run: async ({ operands: [task = ''] }, context) => {
    const { sandboxes } = await context.service();
    context.showWaiting(preparing);
    const acquired = await sandboxes.start(task, context.options);
    if (context.json) await context.printJson(acquired);
    else await context.print(context.quiet ? `${acquired.sandbox.id}\n` : `${acquired.sandbox.id} ${acquired.how}\n`);
    tellLoss(acquired, context);
    if (acquired.how === 'recreated') tellDegraded(acquired.sandbox, context);
    return 0;
  },
});
