import type { Choice } from '../../service/api.ts';
import { answerAll, asker } from '../approvals.ts';
import { defineCommand } from '../command.ts';
import { formatAge } from '../format.ts';
import { UsageError } from '../usage.ts';

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
    const open = await (await context.service()).approvals.list();
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

export const approvalsApprove = defineCommand({
  name: 'approvals approve',
  summary: 'Let a command run that waits for an answer',
  about: `Without an option, this once. It is bound to the exact command, its directory, place and task, and is
used up by it. A command that Caisson runs cannot answer.`,
  operands: [{ name: 'ID', count: 'many' }],
  runs: false,
  exitsAsCommand: false,
  options: {
    session: { type: 'flag', about: 'also what is dangerous in the same way, for this task' },
    always: { type: 'flag', about: 'also this command from now on, by the rules that are shown' },
  },
  examples: [
    ['this once', 'approvals approve apr_0123456789abcdef01234567'],
    ['from now on', 'approvals approve --always apr_0123456789abcdef01234567'],
  ],
  run: async (given, context) => {
    if (given.flag('session') && given.flag('always')) throw new UsageError('--session and --always are both given');
    const choice: Choice = given.flag('always') ? 'always' : given.flag('session') ? 'session' : 'once';
    return await answerAll(given.operands, { choice, by: asker(context.world) }, context);
  },
});

export const approvalsDeny = defineCommand({
  name: 'approvals deny',
  summary: 'Refuse a command that waits for an answer',
  operands: [{ name: 'ID', count: 'many' }],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['refuse it', 'approvals deny apr_0123456789abcdef01234567']],
  run: async (given, context) => await answerAll(given.operands, { choice: 'deny', by: asker(context.world) }, context),
});
