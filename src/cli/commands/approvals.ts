import { type Choice, type GrantView, placeOf } from '../../service/api.ts';
import { answerNamed, asker } from '../approvals.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { forEachTask } from '../each.ts';
import { escapeLine } from '../escape.ts';
import { formatAge, shortAge } from '../format.ts';
import type { Head } from '../table.ts';
import { UsageError } from '../usage.ts';

const all = { type: 'flag', about: 'all that waits for the tasks which are named' } as const;

interface ApprovalArguments {
  readonly operands: readonly string[];
  readonly flag: (name: 'all') => boolean;
}

const namedBy = ({ operands, flag }: ApprovalArguments) => ({ operands, all: flag('all') });

export const approvalsLs = defineCommand({
  name: 'approvals ls',
  summary: 'List commands that wait for an answer',
  about: `From all processes that share the state directory. Each waits for approvals.timeout at most; then it is
refused. With --granted, lists the answers "session" that still hold: each for its task, until
\`approvals revoke\`, the removal of its sandbox, or the end of approvals.session_seconds.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: { granted: { type: 'flag', about: 'answers "session" that still hold' } },
  examples: [
    ['what waits', 'approvals ls'],
    ['what is granted', 'approvals ls --granted'],
    ['with all details, for a program', 'approvals ls --json'],
  ],
  run: async (given, context) => {
    if (given.flag('granted')) return await listGrants(context);
    const open = await (await context.service()).approvals.list();
    if (context.json) await context.printJson(open);
    else if (context.quiet) await context.print(open.map(({ id }) => `${id}\n`).join(''));
    else {
      const nowMs = context.world.nowMs();
      const rows = open.map((view) => [
        view.id,
        view.taskId,
        `${formatAge(view.askedAt, nowMs)} ago`,
        `${view.title}: ${[...new Set(view.findings)].join(', ')} (${placeOf(view).join(', ')})`,
        view.input === null ? view.display : `${view.display} (input: ${view.input})`,
      ]);
      await context.printTable(['ID', 'TASK', 'ASKED', 'WHY', 'COMMAND'], rows);
    }
    return 0;
  },
});

async function listGrants(context: Context): Promise<number> {
  const grants = await (await context.service()).approvals.grants();
  if (context.json) await context.printJson(grants);
  else if (context.quiet) await context.print(grants.map(({ id }) => `${id}\n`).join(''));
  else await context.printTable(grantHead, grants.map(rowAt(context)));
  return 0;
}

const grantHead: Head = [
  'ID',
  'TASK',
  { title: 'GRANTED', drop: 1 },
  { title: 'ENDS', drop: 2 },
  { title: 'BY', drop: 3 },
  'COVERS',
];

const rowAt =
  ({ world }: Context) =>
  ({ id, taskId, grantedAt, expiresAt, grantedBy, covers }: GrantView): readonly string[] => [
    id,
    taskId,
    `${formatAge(grantedAt, world.nowMs())} ago`,
    expiresAt ?? 'with the sandbox',
    grantedBy,
    covers.join(', '),
  ];

export const approvalsRevoke = defineCommand({
  name: 'approvals revoke',
  summary: 'Take an answer "session" back',
  about: 'From the next command on, also in processes that run already. `approvals ls --granted` shows the ids.',
  operands: [{ name: 'ID', count: 'many' }],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['ask again from now on', 'approvals revoke grt_0123456789abcdef01234567']],
  run: async ({ operands }, context) => {
    const { approvals } = await context.service();
    return await forEachTask({ operands, all: null }, context, (id) => approvals.revoke(id, asker(context.world)));
  },
});

export const approvalsApprove = defineCommand({
  name: 'approvals approve',
  summary: 'Let a command run that waits for an answer',
  about: `Covers exactly this command, directory, backend and task, once. With --session, also what the question
says that a session covers: see \`approvals ls --granted\`. With --all the operands are tasks, and what
waits for them at this moment is answered; the exit code is 1 when a question is left. A command that
Caisson runs cannot answer.`,
  operands: [{ name: 'ID', count: 'many' }],
  runs: false,
  exitsAsCommand: false,
  options: {
    all,
    session: { type: 'flag', about: 'also the same kind of danger, for this task' },
    always: { type: 'flag', about: 'also this command from now on, by the rules shown' },
  },
  examples: [
    ['this once', 'approvals approve apr_0123456789abcdef01234567'],
    ['all that waits for a task', 'approvals approve --all build'],
    ['from now on', 'approvals approve --always apr_0123456789abcdef01234567'],
  ],
  run: async (given, context) => {
    if (given.flag('session') && given.flag('always')) throw new UsageError('--session and --always are both given');
    if (given.flag('all') && given.flag('always')) throw new UsageError('--all and --always are both given');
    const choice: Choice = given.flag('always') ? 'always' : given.flag('session') ? 'session' : 'once';
    return await answerNamed(namedBy(given), { choice, by: asker(context.world) }, context);
  },
});

export const approvalsDeny = defineCommand({
  name: 'approvals deny',
  summary: 'Refuse a command that waits for an answer',
  operands: [{ name: 'ID', count: 'many' }],
  runs: false,
  exitsAsCommand: false,
  options: { all },
  examples: [
    ['refuse it', 'approvals deny apr_0123456789abcdef01234567'],
    ['all that waits for a task', 'approvals deny --all build'],
  ],
  run: async (given, context) =>
    await answerNamed(namedBy(given), { choice: 'deny', by: asker(context.world) }, context),
});

export const approvalsSuggest = defineCommand({
  name: 'approvals suggest',
  summary: 'Propose rules for what is allowed again and again',
  about: `What was answered "once" or "session" three times and more within a week, each with the rule that
"always" would have saved. Nothing is changed: add a rule by caisson config set, or answer "always" the
next time. What is dangerous by its kind is never proposed.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['what could be a rule', 'approvals suggest'],
    ['the rules alone', 'approvals suggest -q'],
  ],
  run: async (_given, context) => {
    const found = await (await context.service()).approvals.suggest();
    if (context.json) await context.printJson(found);
    else if (context.quiet) await context.print(found.map(({ rule }) => `${escapeLine(rule)}\n`).join(''));
    else if (found.length === 0) context.notice('nothing was answered with yes three times within a week');
    else {
      const nowMs = context.world.nowMs();
      const rows = found.map(({ owner, rule, times, tasks, lastAt }) => [
        ...[rule, owner, String(times), String(tasks), shortAge(lastAt, nowMs)],
      ]);
      await context.printTable(
        ['RULE', 'OWNER', 'TIMES', { title: 'TASKS', drop: 1 }, { title: 'LAST', drop: 2 }],
        rows,
      );
    }
    return 0;
  },
});
