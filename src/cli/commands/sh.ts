import { shellStarter } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import { execute } from '../execute.ts';
import { readEnv } from '../env.ts';
import { commandOptions, sandboxOptions } from '../option.ts';
import { taskOf } from '../request.ts';
import { isTerminal } from '../terminal.ts';

export const sh = defineCommand({
  name: 'sh',
  summary: 'Open a shell in the sandbox of a task',
  about: `On a terminal the shell is interactive; otherwise it reads its commands from standard input.
It has no deadline. What is typed into it is judged by no rule: where rules deny or ask, the shell
itself is asked about, and the answer session allows shells in the task. caisson session run judges
each line.`,
  operands: [{ name: 'TASK', count: 'optional' }],
  runs: false,
  exitsAsCommand: true,
  options: {
    task: sandboxOptions.task,
    cwd: sandboxOptions.cwd,
    env: commandOptions.env,
    'env-file': commandOptions['env-file'],
    yolo: commandOptions.yolo,
  },
  examples: [
    ['look around in a sandbox', 'sh build'],
    ['start in another directory', 'sh build -w /tmp'],
    ['run a script of this machine inside', 'sh build < setup.sh'],
  ],
  run: async (given, context) => {
    const tty = isTerminal(context.world) && !context.json;
    const cwd = given.text('cwd');
    const { TERM: term } = context.world.env;
    const variables = readEnv(given.list('env'), given.list('env-file'), context.world);
    const env = { ...(tty && term !== undefined && /^[\w.+-]{1,64}$/.test(term) ? { TERM: term } : {}), ...variables };
    const request = {
      taskId: taskOf(given),
      existing: true,
      command: shellStarter,
      env,
      timeoutMs: null,
      ...(cwd === undefined ? {} : { cwd }),
    };
    return execute(request, { interactive: true, tty }, context);
  },
});
