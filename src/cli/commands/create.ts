import { defineCommand } from '../command.ts';
import { preparing, tellDegraded, tellLoss } from '../execute.ts';
import { sandboxOptions } from '../option.ts';
import { sandboxRequest, taskOf } from '../request.ts';

export const create = defineCommand({
  name: 'create',
  summary: "Make a task's sandbox, or find the one it has",
  about: `Prints the sandbox id and how it came: created, found, started (it was stopped) or recreated
(it had vanished). What the backend cannot give is refused when it was asked for here, and reported
when it is only a default.`,
  operands: [{ name: 'TASK', count: 'optional' }],
  runs: false,
  exitsAsCommand: false,
  options: sandboxOptions,
  examples: [
    ['a sandbox with the defaults of the configuration', 'create build'],
    ['on Docker, with its own image and limits', 'create build --backend docker --image debian:12 --cpu 2 --memory 2g'],
    ['without network', 'create quiet --network none'],
    ['for a team, removed after a day at the latest', 'create build --label team=search --idle 30m --lifetime 24h'],
    ['replace one that was made differently', 'create build --memory 4g --recreate'],
  ],
  run: async (given, context) => {
    const request = { ...sandboxRequest(given), taskId: taskOf(given) };
    const { sandboxes } = await context.service();
    context.showWaiting(preparing);
    const acquired = await sandboxes.create(request, context.options);
    const { sandbox, how } = acquired;
    if (context.json) await context.printJson(acquired);
    else await context.print(context.quiet ? `${sandbox.id}\n` : `${sandbox.id} ${how}\n`);
    tellLoss(acquired, context);
    if (how === 'created' || how === 'recreated') tellDegraded(sandbox, context);
    return 0;
  },
});
