/** Uses of sandboxes as rows, and their order. Pure. */
import type { SandboxUse } from '../service/api.ts';
import { formatBytes, plural, shortAge, shortDuration } from './format.ts';
import { stateColour } from './states.ts';
import type { Head } from './table.ts';

type Measure = (use: SandboxUse) => number | null;

export const orders = {
  memory: ({ stats }) => stats?.memoryBytes ?? null,
  cpu: ({ cpuCores, stats }) => cpuCores ?? (stats?.cpuNanos == null ? null : stats.cpuNanos / 1e18),
  processes: ({ stats }) => stats?.pids ?? null,
  disk: ({ diskBytes }) => diskBytes,
} as const satisfies Readonly<Record<string, Measure>>;

/** The largest first; what is not known stands behind, in the order of the tasks. */
export function sortedUses(uses: readonly SandboxUse[], order: keyof typeof orders): readonly SandboxUse[] {
  const measure: Measure = orders[order];
  return uses.toSorted((a, b) => (measure(b) ?? -1) - (measure(a) ?? -1) || a.taskId.localeCompare(b.taskId));
}

export const topHead: Head = [
  'TASK',
  { title: 'OWNER', drop: 6 },
  { title: 'BACKEND', drop: 7 },
  { title: 'STATE', drop: 5, colour: stateColour },
  'MEMORY',
  'CPU',
  { title: 'PROCS', drop: 2 },
  { title: 'DISK', drop: 3 },
  { title: 'IDLE', drop: 4 },
  { title: 'LEFT', drop: 1 },
  'LAST COMMAND',
];

export function topRow(use: SandboxUse, nowMs: number): readonly string[] {
  const { taskId, owner, backend, state, stats, cpuCores, diskBytes, last, usedAt, expiresAt } = use;
  const left = expiresAt === null ? null : Date.parse(expiresAt) - nowMs;
  return [
    taskId,
    owner,
    backend,
    state,
    ofLimit(stats?.memoryBytes ?? null, stats?.memoryLimitBytes ?? null),
    cpuCores === null ? '-' : `${Math.round(cpuCores * 100)}%`,
    stats?.pids == null ? '-' : String(stats.pids),
    diskBytes === null ? '-' : formatBytes(diskBytes),
    shortAge(usedAt, nowMs),
    left === null ? '-' : shortDuration(left),
    last === null ? '-' : `${last.outcome === 'running' ? '' : `(${last.outcome}) `}${last.command.join(' ')}`,
  ];
}

/** `480 MB 94%`: how near it is to its limit is what matters at night. */
function ofLimit(bytes: number | null, limit: number | null): string {
  if (bytes === null) return '-';
  return limit === null || limit === 0
    ? formatBytes(bytes)
    : `${formatBytes(bytes)} ${Math.round((bytes / limit) * 100)}%`;
}

export function topSummary(uses: readonly SandboxUse[]): string {
  const sum = (measure: Measure): number => uses.reduce((all, use) => all + (measure(use) ?? 0), 0);
  const known = uses.filter(({ stats }) => stats !== null).length;
  const untold = uses.filter(({ why }) => why !== null).length;
  return [
    plural(uses.length, 'sandbox', 'sandboxes'),
    `${known} with figures`,
    ...(untold === 0 ? [] : [`${untold} without`]),
    `memory ${formatBytes(sum(orders.memory))}`,
    `cpu ${Math.round(sum(({ cpuCores }) => cpuCores) * 100)}%`,
    `${sum(orders.processes)} processes`,
  ].join(', ');
}
