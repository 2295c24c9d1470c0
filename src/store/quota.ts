/** How much all sandboxes of one owner may take together. Part of the contract of the store, which decides when it writes a row. */
import type { Limits } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import { isMember } from '../values/member.ts';
import { ownerOf } from '../values/owner.ts';

/** `null`: no such limit. */
export interface Quota {
  readonly sandboxes: number | null;
  /** The sums over all of them. */
  readonly total: Pick<Limits, 'cpuCores' | 'memoryBytes' | 'diskBytes'>;
}

/** The part of a row of a sandbox that a quota is about. */
interface QuotaRow {
  readonly id: string;
  readonly taskId: string;
  readonly spec: { readonly limits: Limits };
}

const retryAfterSeconds = 30;

/**
 * Throws `resource_exhausted` where a sandbox would be one too many beside the others of its owner, or take more than is left.
 * Stopped ones count: they start again without asking. Members of the pool are of no owner. One without a limit of its own counts as the whole total. Pure.
 */
export function refuseBeyond(row: QuotaRow, rows: readonly QuotaRow[], { sandboxes, total }: Quota): void {
  const owner = ownerOf(row.taskId);
  const others = rows.filter(({ id, taskId }) => id !== row.id && !isMember(taskId) && ownerOf(taskId) === owner);
  if (sandboxes !== null && others.length >= sandboxes)
    throw quotaError(owner, { limit: 'sandboxes', max: sandboxes, used: others.length });
  for (const [limit, name] of totals) {
    const max = total[name];
    if (max === null) continue;
    const used = others.reduce((sum, { spec }) => sum + (spec.limits[name] ?? max), 0);
    // Fractions of a core do not add up exactly.
    if (used + (row.spec.limits[name] ?? max) > max + 1e-6) throw quotaError(owner, { limit, max, used });
  }
}

/** Keys of `owners` in the configuration. */
const totals = [
  ['total_cpu', 'cpuCores'],
  ['total_memory', 'memoryBytes'],
  ['total_disk', 'diskBytes'],
] as const;

interface QuotaExcess {
  readonly limit: string;
  readonly max: number;
  readonly used: number;
}

function quotaError(owner: string, { limit, max, used }: QuotaExcess): CaissonError {
  return new CaissonError('resource_exhausted', `the sandboxes of ${owner} have reached the limit ${limit}`, {
    remedy: `remove a sandbox, ask for less, or raise owners.${owner}.${limit}`,
    details: { limit, most: max, used, retryAfterSeconds },
  });
}
