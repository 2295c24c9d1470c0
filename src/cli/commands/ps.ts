import { defineCommand } from '../command.ts';
import { formatAge } from '../format.ts';
import { given } from '../../lib/given.ts';

export const ps = defineCommand({
  name: 'ps',
  summary: 'List detached processes',
  about: `Of one task, or of all sandboxes that run. Asks the sandboxes themselves, so it also shows
what other processes of Caisson have started. Ended ones are collected after a day.`,
  operands: [{ name: 'TASK', count: 'optional' }],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['what runs everywhere', 'ps'],
    ['what was started for a task, also what has ended', 'ps build'],
  ],
  run: async ({ operands: [task] }, context) => {
    const processes = await (await context.service()).processes.list(given({ task }), context.options);
    if (context.json) await context.printJson(processes);
    else if (context.quiet) await context.print(processes.map(({ id }) => `${id}\n`).join(''));
    else {
      const nowMs = context.world.nowMs();
      const rows = processes.map(({ id, taskId, state, pid, startedAt, exitCode, supervised, command, note }) => [
        id,
        taskId,
        supervised ? state : `${state} (unwatched)`,
        pid === null ? '-' : String(pid),
        startedAt === null ? '-' : `${formatAge(startedAt, nowMs)} ago`,
        exitCode === null ? '-' : String(exitCode),
        note ?? command.join(' '),
      ]);
      await context.printTable(['ID', 'TASK', 'STATE', 'PID', 'STARTED', 'EXIT', 'COMMAND'], rows);
    }
    return 0;
  },
});
