/**
 * Stop and start of a resource whose ref may change with it: the store has the new ref before the old resource ends, so
 * that a crash at any moment leaves a row that finds the files.
 */
import type { Ref, Sandbox } from '../backend.ts';
import { failpoint } from '../lib/failpoint.ts';
import type { SandboxPatch, SandboxRow } from '../store/store.ts';
import { cancelable, type Context, type StepOptions } from './context.ts';

type Powered = { readonly row: SandboxRow; readonly sandbox: Sandbox };

/** Does nothing where the place cannot stop a sandbox. The row is `stopping` until the caller writes its end. */
export async function stopResource(context: Context, what: Powered, options: StepOptions): Promise<void> {
  const onRef = async (ref: Ref): Promise<void> => await recorded(context, what.row, { ref });
  await what.sandbox.power?.stop({ ...cancelable(options), onRef });
}

/**
 * Starts it, and attaches to it as it is then. With a new ref the row becomes `stopping` in the same transaction: after a
 * crash the resource runs, and without use it is stopped again rather than forgotten.
 */
export async function startResource(context: Context, what: Powered, options: StepOptions): Promise<Sandbox> {
  const { row, sandbox } = what;
  let { ref } = sandbox;
  const onRef = async (next: Ref): Promise<void> => {
    await recorded(context, row, { ref: next, state: 'stopping' });
    ref = next;
  };
  await context.wayOut.start(row, async (way) => await sandbox.power?.start({ ...cancelable(options), onRef, ...way }));
  return await (await context.backend(row.backend)).attach(ref, cancelable(options));
}

async function recorded(context: Context, row: SandboxRow, patch: SandboxPatch): Promise<void> {
  await failpoint('before-ref');
  await context.store.sandboxes.update(row.id, patch);
  await failpoint('after-ref');
}
