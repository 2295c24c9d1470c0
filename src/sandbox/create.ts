/**
 * Makes a sandbox: intent first, then the effect, then the record of it.
 *
 * Whatever fails on the way, `finish` can tell from the row what may exist and removes it, now or after a crash.
 */
import type { Sandbox } from '../backend.ts';
import { CaissonError, toCaissonError } from '../errors.ts';
import { guardianCommand } from '../exec/lane/guardian.ts';
import { newNonce } from '../exec/random.ts';
import { momentOf } from '../lib/clock.ts';
import { failpoint } from '../lib/failpoint.ts';
import { timed } from '../lib/timed.ts';
import { quotaOf } from '../plan/quota.ts';
import type { Quota } from '../store/quota.ts';
import type { Plan } from '../plan/types.ts';
import type { SandboxRow } from '../store/store.ts';
import { isMember } from '../values/member.ts';
import { ownerOf } from '../values/owner.ts';
import { cancelable, type Context, type Handle, processLease, type StepOptions } from './context.ts';
import { forgetCopies, shownCredentials } from './credentials.ts';
import { labelsFor } from './change.ts';
import { directoryOf, keptSandboxId, makeDirectory } from './directory.ts';
import { finish } from './finish.ts';
import { labelsOf, newSandboxId, resourceName } from './identity.ts';
import { keepLive } from './live.ts';
import { checkMounts, proveMounts } from './mounts.ts';
import { proveNetwork } from './network.ts';
import { registryAccess } from './registry-access.ts';
import { type Setid, setidOf } from './setid.ts';
import { sandboxMissingError } from './step.ts';
import { usedNow } from './use.ts';
import { volumesMissed } from './volumes.ts';

/**
 * The caller holds the lease of the task, and the task has no sandbox. Throws `not_found` when it was to have one,
 * `resource_exhausted` when its owner makes too many at once.
 */
export async function createSandbox(context: Context, plan: Plan, options: StepOptions): Promise<Handle> {
  if (plan.existing) throw sandboxMissingError(plan.taskId);
  await context.wayOut.check(plan, null);
  const share = context.budgets.of('creations').take(ownerOf(plan.taskId));
  try {
    return (await context.claims.claim(plan, options)) ?? (await createNew(context, plan, options));
  } finally {
    share.free();
  }
}

async function createNew(context: Context, plan: Plan, options: StepOptions): Promise<Handle> {
  const row = await newRow(context, plan);
  if (plan.ephemeral) await context.store.leases.acquire(processLease(row.id));
  try {
    await context.store.sandboxes.insert(row, quotaFor(context, row));
  } catch (error) {
    if (plan.ephemeral) await context.store.leases.release(processLease(row.id));
    throw error;
  }
  await failpoint('after-intent');
  return await placeSandbox(context, { plan, row, how: 'created' }, options);
}

/** Makes the resource of a row that is `creating`. Shared by first creation, replacement and healing. */
export async function placeSandbox(
  context: Context,
  what: { readonly plan: Plan; readonly row: SandboxRow; readonly how: Handle['how'] },
  options: StepOptions,
): Promise<Handle> {
  const { plan, row } = what;
  const nonce = newNonce();
  try {
    await refuseUnpatched(context, row.backend, options);
    const mounts = await checkMounts(context, { ...row, spec: plan.placed });
    if (row.directory !== null) await makeDirectory({ home: context.home, backend: row.backend }, row.taskId, row.id);
    await failpoint('before-create');
    const setid = setidOf(plan.placed, plan.guarantees);
    const queued = performance.now();
    const create = async (): Promise<Sandbox> => {
      options.onTimed?.('queue', performance.now() - queued);
      return await timed(options, 'create', async () => await ask(context, { plan, row, nonce, setid }, options));
    };
    const asker = { owner: ownerOf(row.taskId), signal: options.signal };
    // Callers wait for theirs; for a member of the pool no caller does.
    const sandbox = isMember(row.taskId)
      ? await context.gate.passLast(row.backend, create)
      : await context.gate.pass(row.backend, create, asker);
    await failpoint('after-create');
    const proving = { row, sandbox, mayMiss: plan.allowDegraded };
    const unproved = await timed(options, 'prove', async () => await proveMounts(context, proving, mounts));
    const live = keepLive(context, row, sandbox, nonce);
    await timed(options, 'prove', async () => await proveNetwork(context, row, live));
    await timed(options, 'network', async () => await context.wayOut.enter(row, live));
    await forgetCopies(context, row);
    const degraded = [...row.degraded, ...unproved, ...setid.degraded, ...volumesMissed(plan, sandbox)];
    // A member is offered once it was measured.
    const state = isMember(row.taskId) ? 'creating' : 'ready';
    const patch = { state, ref: sandbox.ref, degraded, ...usedNow(context.clock) } as const;
    await context.store.sandboxes.update(row.id, patch);
    await failpoint('after-ready');
    return { row: { ...row, ...patch }, sandbox: live, how: what.how, lostSince: null };
  } catch (error) {
    await abandon(context, row, error);
    throw error;
  }
}

/** The store decides by it, together with the write. `null`: the owner has no such limit. */
export function quotaFor({ allowed }: Context, { taskId }: Pick<SandboxRow, 'taskId'>): Quota | null {
  return quotaOf(allowed(ownerOf(taskId)));
}

async function newRow(context: Context, plan: Plan): Promise<SandboxRow> {
  const place = { home: context.home, backend: plan.spec.backend };
  return rowOf(context, plan, (keepsFiles(plan) ? await keptSandboxId(place, plan.taskId) : null) ?? newSandboxId());
}

/** Whether the files of its sandboxes are in a directory of this host. */
export const keepsFiles = ({ spec, guarantees }: Pick<Plan, 'spec' | 'guarantees'>): boolean =>
  spec.persistent && guarantees.persistence === 'directory';

export function rowOf(context: Context, plan: Plan, id: string): SandboxRow {
  const { backend } = plan.spec;
  return {
    id,
    backend,
    name: resourceName(context.store.instance, { id, taskId: plan.taskId }),
    ref: null,
    directory: keepsFiles(plan) ? directoryOf({ home: context.home, backend }, id) : null,
    effective: null,
    ...askedOf(context, plan),
  };
}

/** What a row has of the request for it, whichever resource it is about. */
export function askedOf(context: Context, plan: Plan) {
  const { wallMs, boot } = momentOf(context.clock);
  return {
    taskId: plan.taskId,
    spec: plan.spec,
    configured: plan.configured,
    fingerprint: plan.fingerprint,
    state: 'creating',
    degraded: plan.degraded,
    generation: 1,
    ephemeral: plan.ephemeral,
    createdAt: wallMs,
    usedAt: wallMs,
    createdBoot: boot,
    usedBoot: boot,
    endedBy: null,
    lostSince: null,
    idleMs: plan.idleMs,
    ttlMs: plan.ttlMs,
    labels: labelsFor(plan),
    pool: null,
  } as const;
}

async function ask(
  context: Context,
  what: { readonly plan: Plan; readonly row: SandboxRow; readonly nonce: string; readonly setid: Setid },
  options: StepOptions,
): Promise<Sandbox> {
  const { plan, row, setid } = what;
  const backend = await context.backend(row.backend);
  const asked = {
    name: row.name,
    labels: labelsOf(context.store.instance, row),
    directory: row.directory,
    credentials: await shownCredentials(context, plan, row),
    ...(setid.refuseSetid === undefined ? {} : { refuseSetid: setid.refuseSetid }),
    registry: await registryAccess(context, plan),
    init: guardianCommand(what.nonce),
    ...cancelable(options),
    ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
  };
  return await context.wayOut.make(row, async (way) => await backend.create(plan.placed, { ...asked, ...way }));
}

/**
 * Cleans up after a failed creation. Files in the task's directory are those of an earlier sandbox, since no command ran
 * in this one. What cannot be cleaned now stays recorded, and the caller still gets the first error.
 */
async function abandon(context: Context, row: SandboxRow, error: unknown): Promise<void> {
  try {
    await finish(context, row, { keepFiles: true });
  } catch (leftover) {
    const cause = toCaissonError(error);
    throw new CaissonError(
      cause.code,
      `${cause.message} (and what it left could not be removed yet: ${toCaissonError(leftover).message})`,
      {
        cause: error,
        details: cause.details,
        remedy: cause.remedy ?? 'run `caisson gc` when the place can be reached again',
      },
    );
  }
}

async function refuseUnpatched(context: Context, backendName: string, options: StepOptions): Promise<void> {
  if (!context.requirePatchedRuntime) return;
  const { findings } = await (await context.backend(backendName)).check(cancelable(options));
  const holes = findings.filter((finding) => finding.id.startsWith('CVE-') || finding.id === 'unknown-version');
  if (holes.length === 0) return;
  throw new CaissonError(
    'failed_precondition',
    `policy.require_patched_runtime: ${holes.map((hole) => `${hole.id}: ${hole.message}`).join('; ')}`,
    {
      remedy: holes[0]?.remedy ?? 'update the runtime',
      details: { findings: holes.map((hole) => hole.id) },
    },
  );
}
