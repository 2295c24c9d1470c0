/** A sandbox made anew under the id that it had, with the same files. */
import { actingAs, author } from '../lib/author.ts';
import { momentOf } from '../lib/clock.ts';
import type { Plan } from '../plan/types.ts';
import type { SandboxRow } from '../store/store.ts';
import { labelsFor } from './change.ts';
import type { Context, Handle, StepOptions } from './context.ts';
import { placeSandbox, quotaFor } from './create.ts';
import { endedBy } from './ended-by.ts';
import { removeResources } from './finish.ts';

interface Replacement {
  readonly plan: Plan;
  readonly row: SandboxRow;
  readonly how: Handle['how'];
  /** Since when its files are lost. Absent: they are there. */
  readonly lostSince?: string | null;
}

/** Removes the resource, keeps id and directory, and makes the resource anew from the plan. */
export async function replace(context: Context, what: Replacement, options: StepOptions): Promise<Handle> {
  const { plan, row, lostSince = null } = what;
  await context.wayOut.check(plan, row.id);
  const { fingerprint, spec, configured, degraded } = plan;
  // One that had vanished is the same sandbox, with what was said about it later.
  const { idleMs, ttlMs } = what.how === 'recreated' ? { ...row, ...plan.times } : plan;
  const { wallMs, boot } = momentOf(context.clock);
  const patch = {
    state: 'creating',
    endedBy: endedBy(what.how === 'recreated' ? 'healing' : 'a recreation'),
    generation: row.generation + 1,
    spec,
    configured,
    fingerprint,
    degraded,
    effective: null,
    idleMs,
    ttlMs,
    labels: { ...row.labels, ...labelsFor(plan) },
    createdAt: wallMs,
    usedAt: wallMs,
    createdBoot: boot,
    usedBoot: boot,
    lostSince,
  } as const;
  const isLoss = what.how === 'recreated';
  const quota = isLoss ? null : quotaFor(context, row);
  await actingAs(isLoss ? { ...author(), reason: 'engine-loss' } : author(), () =>
    context.store.sandboxes.update(row.id, patch, quota),
  );
  await removeResources(context, row, { emptyFirst: false });
  await context.wayOut.close(row, plan);
  const handle = await placeSandbox(context, { plan, row: { ...row, ...patch }, how: what.how }, options);
  return { ...handle, lostSince };
}
