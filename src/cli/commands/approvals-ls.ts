import { defineCommand } from '../command.ts';
import { formatAge } from '../format.ts';

export const approvalsLs = defineCommand({
  name: 'approvals ls',
  summary: 'List commands that wait for an answer',
  about: `Of all processes that share the state directory. Each waits for approvals.timeout at most, and is
refused then.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['look', 'approvals ls'],
    ['with all details, for a program', 'approvals ls --json'],
  ],
  run: async (_given, context) => {
    const open = await (await context.service()).policy.approvals.list();
    if (context.json) await context.printJson(open);
    else if (context.quiet) await context.print(open.map(({ id }) => `${id}\n`).join(''));
    else {
      const nowMs = context.world.nowMs();
      const rows = open.map(({ id, taskId, askedAt, findings, display }) => [
        id,
        taskId,
        `${formatAge(askedAt, nowMs)} ago`,
        [...new Set(findings)].join(', '),
        display,
      ]);
      await context.printTable(['ID', 'TASK', 'ASKED', 'WHY', 'COMMAND'], rows);
    }
    return 0;
  },
});
