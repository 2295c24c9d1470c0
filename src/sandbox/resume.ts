/** From the row of a sandbox that fits back to one that runs. */
import type { Sandbox } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import { failpoint } from '../lib/failpoint.ts';
import type { Plan } from '../plan/types.ts';
import type { SandboxRow } from '../store/store.ts';
import type { Context, Handle, StepOptions } from './context.ts';
import { forgetCopies } from './credentials.ts';
import { attachIfThere } from './finish.ts';
import { keepLive } from './live.ts';
import { recordEnd, recordMissingFiles, refuseWithoutFiles, unseenDirectory } from './loss.ts';
import { type CheckedMount, checkMounts, proveMounts } from './mounts.ts';
import { proveNetwork } from './network.ts';
import { startResource, stopResource } from './power.ts';
import { replace } from './replace.ts';
import { usedNow } from './use.ts';

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
    if (!(await context.wayOut.keep(row, sandbox))) await context.wayOut.restore(sandbox);
    return await ready(context, { row, sandbox, how: 'found', lostSince: null });
  }
  if (sandbox?.state === 'unresponsive') throw unresponsiveError(row);
  const filesLostSince = await recordMissingFiles(context, row);
  if (sandbox === null || sandbox.power === undefined || filesLostSince !== null)
    return await replace(context, { ...what, how: 'recreated', lostSince: filesLostSince }, options);
  const lostSince = await recordEnd(context, { row, sandbox });
  const mounts = await checkMounts(context, row);
  await failpoint('before-start');
  const started = await startResource(context, { row, sandbox }, options).catch((error: unknown) => {
    throw unseenDirectory(row, error);
  });
  await failpoint('after-start');
  await proveOrStop(context, { row, sandbox: started }, mounts);
  return await ready(context, { row, sandbox: started, how: 'started', lostSince });
}

/** Another one beside it would write the same files, and its commands may run on. */
function unresponsiveError({ taskId, id, backend }: SandboxRow): CaissonError {
  return new CaissonError('unavailable', `the host of the sandbox of ${taskId} does not answer`, {
    details: { taskId, sandboxId: id, backend, state: 'unresponsive' },
    remedy: `wait for it; where it is gone for good, \`caisson gc --force ${taskId}\` gives the sandbox up`,
  });
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
