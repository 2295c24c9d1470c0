import { defineCommand } from '../command.ts';
import { detach, detachOption } from '../detach.ts';
import { execute } from '../execute.ts';
import { commandOptions, sandboxOptions, userOption } from '../option.ts';
import { commandInput, sandboxRequest } from '../request.ts';

export const run = defineCommand({
  name: 'run',
  summary: 'Run a command in a sandbox and show what it writes',
  about: `Without --task the sandbox is made for this one command and removed afterwards, also on
Ctrl-C. With --task it is made when the task has none yet, and stays.
The first Ctrl-C ends the command and cleans up, the second leaves at once.
Prefer -e NAME or --env-file for secrets: other users of this machine can read -e NAME=VALUE.`,
  operands: [],
  runs: true,
  exitsAsCommand: true,
  options: {
    ...sandboxOptions,
    user: userOption,
    ...commandOptions,
    detach: detachOption,
    code: {
      type: 'text',
      value: 'LANGUAGE',
      about: 'run a program: python, node or bash; its FILE, or -, stands after --',
    },
    rm: { type: 'flag', about: "remove the task's sandbox and files afterwards" },
  },
  examples: [
    ['one command in a fresh sandbox that is removed afterwards', 'run -- uname -a'],
    [
      'keep the sandbox of a task, with limits, for the commands that follow',
      'run --task build --memory 2g --cpu 2 -- make test',
    ],
    ['a whole shell line: quote it and give it to sh', "run -- sh -c 'echo $HOME | wc -c'"],
    [
      'without network, for a minute at most, with input from a file',
      'run -i --network none --timeout 1m -- python3 - < script.py',
    ],
    ['a program of this machine, in a fresh directory that is removed afterwards', 'run --code python -- script.py'],
    [
      'once, however often the line is given: a retry tells what the first one did',
      'run --task build --exec-id exec_nightly-7 -- make',
    ],
    ['start a server and leave it running', 'run --task build --detach -- npm start'],
    ['a secret from the environment, never from the command line', 'run -e API_TOKEN -- ./deploy'],
    ['the result as JSON: exit, where it ran, both streams', 'run -o json -- date'],
  ],
  run: async (given, context) => {
    const task = given.text('task');
    const input = commandInput(given, context.world);
    const request = { ...sandboxRequest(given), ...input, ...(task === undefined ? {} : { taskId: task }) };
    const language = given.text('code');
    const how = { interactive: given.flag('interactive'), tty: given.flag('tty') };
    if (given.flag('detach')) return detach(request, how, context);
    const exitCode = await execute(
      language === undefined ? request : await (await import('../code.ts')).codeRequest(request, language, context),
      how,
      context,
    );
    // Not under the caller's signal: after Ctrl-C the removal is still wanted.
    if (given.flag('rm') && task !== undefined) await (await context.service()).sandboxes.remove(task);
    return exitCode;
  },
});
