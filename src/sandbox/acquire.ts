/**
 * Create or get: the task's sandbox, ready to run commands.
 *
 *   row fits and the resource runs           -> found        (no lease, no write)
 *   row fits, the resource is stopped        -> started     (one that is being stopped is waited for first)
 *   row fits, the host does not answer       -> unavailable  nothing is made beside it
 *   row fits, the resource has vanished      -> recreated    from the same spec, with the same files; refused where they
 *                                                            went with it
 *   row fits, its directory has vanished     -> recreated    with an empty one, whose row says since when files are lost
 *   no row                                   -> created
 *   another spec                             -> conflict, or replaced when asked
 *   left half-done by a crash                -> finished, then created
 */
import type { Sandbox } from '../backend.ts';
import type { Plan } from '../plan/types.ts';
import type { SandboxRow } from '../store/store.ts';
import { withSaid } from './change.ts';
import { type Context, type Handle, leaseTimeoutMs, type StepOptions, taskLease } from './context.ts';
import { createSandbox } from './create.ts';
import { finish } from './finish.ts';
import { kept } from './kept.ts';
import { withLease } from './lease.ts';
import { keepLive } from './live.ts';
import { replace } from './replace.ts';
import { resume } from './resume.ts';
import { nextStep } from './step.ts';

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
  const patience = { signal: options.signal, waitMs: leaseTimeoutMs };
  return await withLease(context.store, taskLease(plan.taskId), patience, () => underLease(context, plan, options));
}

async function acquireEphemeral(context: Context, plan: Plan, options: StepOptions): Promise<Handle> {
  const row = await context.store.sandboxes.ofTask(plan.taskId);
  const sandbox = row === null ? null : await running(context, row);
  if (row === null || sandbox === null) return await createSandbox(context, plan, options);
  return { row, sandbox, how: 'found', lostSince: null };
}

/** `null`: it does not run, or something is to be started again under the lease. An ephemeral sandbox has a single user. */
async function running(context: Context, row: SandboxRow): Promise<Sandbox | null> {
  const found = await kept(context, row);
  if (found === null || (!found.isOpen && !row.ephemeral)) return null;
  if (!found.isOpen) await context.wayOut.restore(found.sandbox);
  if (found.isLive) return found.sandbox;
  // Another call may have attached it meanwhile, and uses its lanes.
  return context.live.get(row.id) ?? keepLive(context, row, found.sandbox);
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
