/** How much all sandboxes of one owner may take together. Pure: the store runs it in the transaction that writes the row. */
import type { Limits } from '../backend.ts';
import type { Allowed } from '../config/owners.ts';
import { CaissonError } from '../errors.ts';
import type { SandboxRow } from '../store/store.ts';
import { ownerOf } from '../values/owner.ts';

type Asked = Pick<SandboxRow, 'id' | 'taskId' | 'spec'>;

const mebibyte = 1024 ** 2;
const retryAfterSeconds = 30;

/** Whether there is anything to decide: without it no row has to be read. */
export function hasQuota({ sandboxes, total_cpu, total_memory, total_disk }: Allowed): boolean {
  return [sandboxes, total_cpu, total_memory, total_disk].some((most) => most !== undefined);
}

/**
 * Throws `resource_exhausted` where a sandbox would be one too many beside the others of its owner, or take more than is left.
 * Stopped ones count: they start again without asking. One without a limit of its own counts as the whole total.
 */
export function refuseBeyond(row: Asked, rows: readonly SandboxRow[], allowed: Allowed): void {
  const owner = ownerOf(row.taskId);
  const others = rows.filter(({ id, taskId }) => id !== row.id && ownerOf(taskId) === owner);
  const { sandboxes } = allowed;
  if (sandboxes !== undefined && others.length >= sandboxes)
    throw beyond(owner, { limit: 'sandboxes', most: sandboxes, used: others.length });
  for (const [limit, name, most] of totalsOf(allowed)) {
    const used = others.reduce((sum, { spec }) => sum + (spec.limits[name] ?? most), 0);
    // Fractions of a core do not add up exactly.
    if (used + (row.spec.limits[name] ?? most) > most + 1e-6) throw beyond(owner, { limit, most, used });
  }
}

type Total = readonly [limit: string, name: keyof Limits, most: number];

function totalsOf({ total_cpu: cpu, total_memory: memory, total_disk: disk }: Allowed): readonly Total[] {
  return [
    ...(cpu === undefined ? [] : [['total_cpu', 'cpuCores', cpu] as const]),
    ...(memory === undefined ? [] : [['total_memory', 'memoryBytes', memory * mebibyte] as const]),
    ...(disk === undefined ? [] : [['total_disk', 'diskBytes', disk * mebibyte] as const]),
  ];
}

interface Beyond {
  readonly limit: string;
  readonly most: number;
  readonly used: number;
}

function beyond(owner: string, { limit, most, used }: Beyond): CaissonError {
  return new CaissonError('resource_exhausted', `the sandboxes of ${owner} have reached the limit ${limit}`, {
    remedy: `remove a sandbox, ask for less, or raise owners.${owner}.${limit}`,
    details: { limit, most, used, retryAfterSeconds },
  });
}
