import { everyItem, type HistoryEntry, type HistoryFilter } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { formatBytes, formatDuration, shortAge } from '../format.ts';
import type { Head } from '../table.ts';
import { readCount, readMoment } from '../values.ts';

const defaultCount = '50';

export const history = defineCommand({
  name: 'history',
  summary: 'Show what was run in sandboxes, and how it ended',
  about: `Commands, texts of sessions, detached processes and copies, the newest first, of all processes
that share the state directory, also in sandboxes that are removed by now. What was refused is there
too, with the rule. Kept for exec.retention_seconds, a week unless the configuration says otherwise, and
a million at most. The audit (caisson audit tail) is the evidence, and is kept by its size.

A moment is 2h (ago), today, yesterday, 2026-11-26 or a whole time. --failed, --denied and --lost
together show all of these.`,
  operands: [{ name: 'TASK', count: 'optional' }],
  runs: false,
  exitsAsCommand: false,
  options: {
    since: { type: 'text', value: 'MOMENT', about: 'only what began from then on' },
    until: { type: 'text', value: 'MOMENT', about: 'only what began before' },
    failed: { type: 'flag', about: 'only what ended otherwise than with exit code 0' },
    denied: { type: 'flag', about: 'only what a rule or a person refused' },
    lost: { type: 'flag', about: 'only what has an end that is not known' },
    owner: { type: 'text', value: 'OWNER', about: 'only in tasks of this owner' },
    lines: { type: 'text', short: 'n', value: 'N', about: `how many (default: ${defaultCount})` },
  },
  examples: [
    ['what ran in build', 'history build'],
    ['what went wrong since yesterday', 'history --since yesterday --failed --lost'],
    ['why something was refused', 'history --denied'],
    ['for a program', 'history --since 2h -n 1000 -o json'],
  ],
  run: async (given, context) => {
    const nowMs = context.world.nowMs();
    const [since, until, owner] = [given.text('since'), given.text('until'), given.text('owner')];
    const outcomes = (['failed', 'denied', 'lost'] as const).filter((each) => given.flag(each));
    const [task] = given.operands;
    const filter: HistoryFilter = {
      ...(task === undefined ? {} : { task }),
      ...(since === undefined ? {} : { since: readMoment('--since', since, nowMs) }),
      ...(until === undefined ? {} : { until: readMoment('--until', until, nowMs) }),
      ...(owner === undefined ? {} : { owner }),
      ...(outcomes.length === 0 ? {} : { outcomes }),
    };
    const found = await firstOf(context, filter, readCount('--lines', given.text('lines') ?? defaultCount));
    if (context.json) await context.printJson(found);
    else if (found.length === 0)
      context.notice('nothing of the kind is on record; see caisson history --help for how long it is kept');
    else
      await context.printTable(
        head,
        found.map((entry) => rowOf(entry, nowMs)),
      );
    return 0;
  },
});

async function firstOf(context: Context, filter: HistoryFilter, count: number): Promise<readonly HistoryEntry[]> {
  const { history: noun } = await context.service();
  const all = everyItem((page) =>
    noun.list({ ...filter, ...page, limit: Math.min(1000, Math.max(1, count)) }, context.options),
  );
  const found: HistoryEntry[] = [];
  if (count > 0)
    for await (const entry of all) {
      found.push(entry);
      if (found.length >= count) break;
    }
  return found;
}

const head: Head = [
  'AGE',
  { title: 'OWNER', drop: 3 },
  'TASK',
  { title: 'KIND', drop: 4 },
  { title: 'END', colour: colourOf },
  { title: 'TOOK', drop: 2 },
  { title: 'BYTES', drop: 6 },
  { title: 'BY', drop: 5 },
  'COMMAND',
];

function colourOf(end: string): 'red' | 'yellow' | null {
  if (/^(?:denied|lost)/.test(end)) return 'red';
  return /^(?:done|running|-)/.test(end) ? null : 'yellow';
}

function rowOf(entry: HistoryEntry, nowMs: number): readonly string[] {
  const { startedAt, owner, taskId, kind, durationMs, bytes, token, command } = entry;
  return [
    shortAge(startedAt, nowMs),
    owner,
    taskId,
    kind,
    endOf(entry),
    durationMs === null ? '-' : formatDuration(durationMs),
    bytes === null ? '-' : formatBytes(bytes),
    token ?? '-',
    command.join(' '),
  ];
}

function endOf({ outcome, reason, rule, exitCode }: HistoryEntry): string {
  if (outcome === 'denied') return rule === null ? 'denied' : `denied: ${rule}`;
  if (outcome !== 'failed') return outcome;
  return reason === 'exited' || reason === null ? `exit ${exitCode ?? '?'}` : reason;
}
