/**
 * Removes a sandbox, all of it: the resource, the task's directory unless it is kept, the row. Idempotent at every step,
 * so it also finishes what a crash left half-done. The caller holds the lease of the task.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Backend, Cancelable, Ref, Sandbox } from '../backend.ts';
import { CaissonError, isCode } from '../errors.ts';
import { settledOrLate } from '../exec/settled.ts';
import { failpoint } from '../lib/failpoint.ts';
import { removeAgreed } from '../files/sync/record.ts';
import { removeCredentials } from '../secrets/credentials/record.ts';
import type { SandboxRow } from '../store/store.ts';
import { type Context, processLease } from './context.ts';
import { withdrawCredentials } from './credentials.ts';
import { removeDirectory, removeEmptyDirectory } from './directory.ts';
import { endedBy } from './ended-by.ts';
import { emptyInside } from './empty-inside.ts';
import { forgetLive } from './live.ts';

export interface HowToFinish {
  readonly keepFiles: boolean;
  /** Takes away what is kept outside of the sandbox's own files, once the removal is on record. Never rejects. */
  readonly forget?: ((row: SandboxRow) => Promise<void>) | undefined;
  /** When it fires, a place that does not answer is waited for only a little longer. */
  readonly signal?: AbortSignal | undefined;
  /** See `DestroyOptions`. The row is `destroying` until the removal has been seen to its end, by any process. */
  readonly onSent?: (() => void) | undefined;
}

export async function finish(context: Context, row: SandboxRow, how: HowToFinish): Promise<void> {
  await markDestroying(context, row, how.keepFiles);
  await how.forget?.(row);
  await failpoint('before-remove');
  const emptyFirst = !how.keepFiles && row.directory !== null;
  const removing = removeResources(context, row, { emptyFirst, onSent: how.onSent });
  await orLeft(removing, how.signal);
  await failpoint('after-remove');
  await removeCredentials(context.home, row.id);
  await removeAgreed(context.home, row.id);
  const place = { home: context.home, backend: row.backend };
  if (row.directory !== null && !how.keepFiles) await removeDirectory(place, row.taskId, row.id);
  if (how.keepFiles) await removeEmptyDirectory(place, row.taskId, row.id);
  await context.wayOut.close(row);
  await failpoint('before-forget');
  await context.store.sandboxes.delete(row.id);
  await context.store.leases.release(processLease(row.id));
}

/** A removal that has begun goes on to its end: half of one is of no use. */
const leaveMs = 5000;

async function orLeft(removing: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return removing;
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const leave = (): void => resolve();
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  try {
    await Promise.race([removing, aborted]);
    if (!signal.aborted || (await settledOrLate(removing, leaveMs))) return await removing;
  } finally {
    signal.removeEventListener('abort', leave);
  }
  throw new CaissonError('canceled', 'the place does not answer, and the removal was left', {
    remedy: 'it is recorded, and finished by `caisson gc` or the next service that runs here',
  });
}

/** A `destroying` row without a directory keeps its files, in whichever process it is finished. */
async function markDestroying(context: Context, row: SandboxRow, keepFiles: boolean): Promise<void> {
  const files = row.directory === null ? {} : { directory: keepFiles ? null : row.directory };
  const by = row.state === 'destroying' ? {} : { endedBy: endedBy('caisson rm') };
  await context.store.sandboxes.update(row.id, { state: 'destroying', ...by, ...files });
}

export async function removeResources(
  context: Context,
  row: SandboxRow,
  how: { readonly emptyFirst: boolean } & Pick<HowToFinish, 'onSent'>,
): Promise<void> {
  const backend = await context.backend(row.backend);
  const resources = await findResources(context, backend, row);
  const { onSent } = how;
  for (const sandbox of resources) {
    await withdrawCredentials(context, row, sandbox);
    if (how.emptyFirst) await emptyInside(sandbox);
    await sandbox.destroy(resources.length === 1 && onSent !== undefined ? { onSent } : {});
  }
  forgetLive(context, row.id);
}

/** The handle we hold; else by ref where the place had answered, and by label where the answer may have been lost. */
async function findResources(context: Context, backend: Backend, row: SandboxRow): Promise<readonly Sandbox[]> {
  const live = context.live.get(row.id);
  if (live !== undefined && isDeepStrictEqual(live.ref, row.ref)) return [live];
  // A sandbox that is made anew has two for a while, and only one of them in its row.
  const listed = row.ref === null || row.state === 'creating' ? await refsByLabel(context, backend, row.id) : [];
  const refs =
    row.ref === null || listed.some((ref) => isDeepStrictEqual(ref, row.ref)) ? listed : [row.ref, ...listed];
  const found = await Promise.all(refs.map((ref) => attachIfThere(backend, ref)));
  return found.filter((sandbox) => sandbox !== null);
}

async function refsByLabel(context: Context, backend: Backend, sandboxId: string): Promise<readonly Ref[]> {
  const listed = await backend.list({ instance: context.store.instance });
  return listed.filter((entry) => entry.labels.sandbox === sandboxId).map((entry) => entry.ref);
}

export async function attachIfThere(backend: Backend, ref: Ref, options: Cancelable = {}): Promise<Sandbox | null> {
  try {
    return await backend.attach(ref, options);
  } catch (error) {
    if (isCode(error, 'not_found')) return null;
    throw error;
  }
}
