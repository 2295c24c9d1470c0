/**
 * Create or get: the task's sandbox, ready to run commands.
 *
 *   row fits and the resource runs           -> found        (no lease, no write)
 *   row fits, the resource is stopped        -> started     (one that is being stopped is waited for first)
 *   row fits, the resource has vanished      -> recreated    from the same spec, with the same files; refused where they
 *                                                            went with it
 *   row fits, its directory has vanished     -> recreated    with an empty one, whose row says since when files are lost
 *   no row                                   -> created
 *   another spec                             -> conflict, or replaced when asked
 *   left half-done by a crash                -> finished, then created
 */
import { actingAs, author } from '../lib/author.ts';
import type { Sandbox } from '../backend.ts';
import { momentOf } from '../lib/clock.ts';
import { failpoint } from '../lib/failpoint.ts';
import type { SandboxRow } from '../store/store.ts';
import { type Context, type Handle, leasePatienceMs, type StepOptions, taskLease } from './context.ts';
import type { Plan } from '../plan/types.ts';
import { labelsFor, withSaid } from './change.ts';
import { createSandbox, placeSandbox, quotaFor } from './create.ts';
import { forgetCopies } from './credentials.ts';
import { attachIfThere, finish, removeResources } from './finish.ts';
import { hasDoor } from '../egress/way-out.ts';
import { checkFilter, isKept, keepFilter } from './place-list.ts';
import { endedBy } from './ended-by.ts';
import { withLease } from './lease.ts';
import { keepLive } from './live.ts';
import { recordEnd, recordMissingFiles, refuseWithoutFiles, unseenDirectory } from './loss.ts';
import { type CheckedMount, checkMounts, proveMounts } from './mounts.ts';
import { proveNetwork } from './network.ts';
import { startResource, stopResource } from './power.ts';
import { nextStep } from './step.ts';
import { usedNow } from './use.ts';

export async function acquire(context: Context, plan: Plan, options: StepOptions): Promise<Handle> {
  const handle = await acquireAny(context, plan, options);
  const row = await withSaid(context, { plan, row: handle.row }, options);
  return { ...handle, row };
}

async function acquireAny(context: Context, plan: Plan, options: StepOptions): Promise<Handle> {
  // No other caller knows the task of an ephemeral sandbox, so no lease is needed.
  if (plan.ephemeral) return await acquireEphemeral(context, plan, options);
  const row = await context.store.sandboxes.ofTask(plan.taskId);
  if (row !== null && nextStep(row, plan) === 'use') {
    const sandbox = await running(context, row);
    if (sandbox !== null) return { row, sandbox, how: 'found', lostSince: null };
  }
  const patience = { signal: options.signal, waitMs: leasePatienceMs };
  return await withLease(context.store, taskLease(plan.taskId), patience, () => underLease(context, plan, options));
}

async function acquireEphemeral(context: Context, plan: Plan, options: StepOptions): Promise<Handle> {
  const row = await context.store.sandboxes.ofTask(plan.taskId);
  const sandbox = row === null ? null : await running(context, row);
  if (row === null || sandbox === null) return await createSandbox(context, plan, options);
  return { row, sandbox, how: 'found', lostSince: null };
}

/** The live handle of a sandbox whose row is `ready`, or null when the place has to be asked and says otherwise. */
async function running(context: Context, row: SandboxRow): Promise<Sandbox | null> {
  if (row.state !== 'ready' || row.ref === null) return null;
  const known = context.live.get(row.id);
  if (known !== undefined && (await isKept(context, row, known)))
    return (await hasWayOut(context, row, known)) ? known : null;
  const sandbox = await attachIfThere(await context.backend(row.backend), row.ref);
  if (sandbox === null || sandbox.state !== 'running') return null;
  await keepFilter(context, row, sandbox);
  if (!(await hasWayOut(context, row, sandbox))) return null;
  // Another call may have attached it meanwhile, and uses its lanes.
  return context.live.get(row.id) ?? keepLive(context, row, sandbox);
}

/** False: what carries its bytes has ended, and is started again by one process alone. One that is ephemeral has a single user. */
async function hasWayOut(context: Context, row: SandboxRow, sandbox: Sandbox): Promise<boolean> {
  await keepDoor(context, row);
  if (!row.ephemeral) return (await sandbox.carrier?.carries()) !== false;
  await keepCarrier(sandbox);
  return true;
}

async function keepCarrier({ carrier }: Sandbox): Promise<void> {
  if (carrier !== undefined && !(await carrier.carries())) await carrier.restore();
}

/** What is behind it may have ended since, or have other rules. */
async function keepDoor({ doors }: Context, row: SandboxRow): Promise<void> {
  if (hasDoor(row)) await doors.keep(row);
}

async function underLease(context: Context, plan: Plan, options: StepOptions): Promise<Handle> {
  const row = await context.store.sandboxes.ofTask(plan.taskId);
  const step = nextStep(row, plan);
  if (row === null || step === 'create') return await createSandbox(context, plan, options);
  if (step === 'finish') {
    await finish(context, row, { keepFiles: row.state === 'creating' });
    return await createSandbox(context, plan, options);
  }
  if (step === 'replace') return await replace(context, { plan, row, how: 'created' }, options);
  return await resume(context, { plan, row }, options);
}

interface Replacement {
  readonly plan: Plan;
  readonly row: SandboxRow;
  readonly how: Handle['how'];
  /** Since when its files are lost. Absent: they are there. */
  readonly lostSince?: string | null;
}

/** Removes the resource, keeps id and directory, and makes the resource anew from the plan. */
async function replace(context: Context, what: Replacement, options: StepOptions): Promise<Handle> {
  const { plan, row, lostSince = null } = what;
  await checkFilter(context, plan, row.id);
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
  if (hasDoor(row) && !hasDoor(plan)) await context.doors.close(row.id);
  const handle = await placeSandbox(context, { plan, row: { ...row, ...patch }, how: what.how }, options);
  return { ...handle, lostSince };
}

/** Brings the sandbox of a row that fits back to running: as it is, by a start, or made anew. */
export async function resume(
  context: Context,
  what: { readonly plan: Plan; readonly row: SandboxRow },
  options: StepOptions,
): Promise<Handle> {
  const { row } = what;
  const backend = await context.backend(row.backend);
  const sandbox = row.ref === null ? null : await attachIfThere(backend, row.ref);
  if (sandbox === null) await refuseWithoutFiles(context, row);
  else if (sandbox.state === 'running' && row.state === 'ready') {
    await keepDoor(context, row);
    await keepFilter(context, row, sandbox);
    await keepCarrier(sandbox);
    return await ready(context, { row, sandbox, how: 'found', lostSince: null });
  }
  const filesLostSince = await recordMissingFiles(context, row);
  if (sandbox === null || sandbox.power === undefined || filesLostSince !== null)
    return await replace(context, { ...what, how: 'recreated', lostSince: filesLostSince }, options);
  const lostSince = await recordEnd(context, { row, sandbox });
  const mounts = await checkMounts(context, row);
  await keepDoor(context, row);
  await failpoint('before-start');
  const started = await startResource(context, { row, sandbox }, options).catch((error: unknown) => {
    throw unseenDirectory(row, error);
  });
  await failpoint('after-start');
  await proveOrStop(context, { row, sandbox: started }, mounts);
  return await ready(context, { row, sandbox: started, how: 'started', lostSince });
}

async function proveOrStop(
  context: Context,
  { row, sandbox }: { readonly row: SandboxRow; readonly sandbox: Sandbox },
  mounts: readonly CheckedMount[],
): Promise<void> {
  try {
    const mayMiss = row.degraded.some(({ control }) => control === 'mounts');
    await proveMounts(context, { row, sandbox, mayMiss }, mounts);
    await proveNetwork(context, row, sandbox);
  } catch (error) {
    await stopResource(context, { row, sandbox }, {});
    throw error;
  }
}

async function ready(context: Context, handle: Handle): Promise<Handle> {
  if (handle.how === 'started') await forgetCopies(context, handle.row);
  await failpoint('before-ready');
  const patch = { state: 'ready', ...usedNow(context.clock) } as const;
  await context.store.sandboxes.update(handle.row.id, patch);
  // Commands may run in the lanes of one that was there all the time.
  const known = handle.how === 'found' ? context.live.get(handle.row.id) : undefined;
  const sandbox = known ?? keepLive(context, handle.row, handle.sandbox);
  return { ...handle, row: { ...handle.row, ...patch }, sandbox };
}
