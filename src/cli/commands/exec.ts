import { defineCommand } from '../command.ts';
import { detach, detachOption } from '../detach.ts';
import { execute } from '../execute.ts';
import { commandOptions, sandboxOptions, userOption } from '../option.ts';
import { commandInput, taskOf } from '../request.ts';

export const exec = defineCommand({
  name: 'exec',
  summary: 'Run a command in the sandbox that a task has',
  about: `Takes the sandbox as it is and starts it when it is stopped; it never makes one.
TASK is a task id or a sandbox id.`,
  operands: [{ name: 'TASK', count: 'optional' }],
  runs: true,
  exitsAsCommand: true,
  options: {
    task: sandboxOptions.task,
    cwd: sandboxOptions.cwd,
    user: userOption,
    ...commandOptions,
    detach: detachOption,
  },
  examples: [
    ['see what a task is doing', 'exec build -- ps aux'],
    ['in another directory, with a variable', 'exec build -w /workspace/app -e DEBUG=1 -- npm test'],
    ['as another user of the sandbox', 'exec build -u 1000 -w /tmp -- id'],
    ['feed it from a pipe', 'exec build -i -- tar -xf - < sources.tar'],
    ['start it and leave it running', 'exec build --detach -- npm start'],
    ['a program that wants a terminal and keys', 'exec -it build -- top'],
  ],
  run: async (given, context) => {
    const request = { ...commandInput(given, context.world), taskId: taskOf(given), existing: true };
    const how = { interactive: given.flag('interactive'), tty: given.flag('tty') };
    if (given.flag('detach')) return detach(request, how, context);
    return execute(request, how, context);
  },
});
