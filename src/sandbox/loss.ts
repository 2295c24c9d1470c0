/** What a place has done to a sandbox while no Caisson looked: it ended it, with or without some of its files. */
import { isDeepStrictEqual } from 'node:util';
import type { Sandbox } from '../backend.ts';
import { CaissonError, isCode } from '../errors.ts';
import type { SandboxRow } from '../store/store.ts';
import type { Context } from './context.ts';
import { isDirectoryThere } from './directory.ts';

/**
 * Stores the ref by which the files of a sandbox are found now, and since when they are lost, which it also returns. Both
 * precede the start of the sandbox, after which the place knows nothing of its end.
 */
export async function recordEnd(
  context: Context,
  { row, sandbox }: { readonly row: SandboxRow; readonly sandbox: Sandbox },
): Promise<string | null> {
  const { ref } = sandbox;
  const lostSince = sandbox.lost === undefined ? null : momentOf(sandbox.lost.since, row);
  if (lostSince === null && isDeepStrictEqual(ref, row.ref)) return null;
  await context.store.sandboxes.update(row.id, { ref, ...(lostSince === null ? {} : { lostSince }) });
  if (lostSince !== null) await recordLoss(context, row, lostSince);
  return lostSince;
}

/**
 * Since when the files of a sandbox are lost that has none any more, such as after a state directory was restored without
 * them: since its creation. `null`: its directory is there, or it has none.
 */
export async function recordMissingFiles(context: Context, row: SandboxRow): Promise<string | null> {
  if (row.directory === null || (await isDirectoryThere(row.directory))) return null;
  const since = new Date(row.createdAt).toISOString();
  await recordLoss(context, row, since);
  return since;
}

async function recordLoss(context: Context, { id, backend, taskId }: SandboxRow, since: string): Promise<void> {
  await context.audit.record({ type: 'loss', taskId, execId: null, sandboxId: id, backend, since });
}

/** A start has no arguments: what the place finds invalid is what the sandbox was made with, above all its directory. */
export function unseenDirectory({ directory, taskId }: SandboxRow, error: unknown): unknown {
  if (directory === null || !isCode(error, 'invalid_argument')) return error;
  return new CaissonError('failed_precondition', error.message, {
    cause: error,
    details: error.details,
    remedy: `run the engine where it sees ${directory}, or remove the sandbox: \`caisson rm ${taskId}\``,
  });
}

/** A text that cannot be read as a time yields the creation of the sandbox, the earliest moment possible. */
function momentOf(text: string, row: SandboxRow): string {
  const ms = text.length > 40 ? Number.NaN : Date.parse(text);
  return new Date(Number.isNaN(ms) ? row.createdAt : ms).toISOString();
}

/** Throws `failed_precondition` for a sandbox that has vanished with the files that it was to keep. */
export async function refuseWithoutFiles(context: Context, row: SandboxRow): Promise<void> {
  const { persistence, filesGoWithSandbox } = await (await context.backend(row.backend)).guarantees();
  if (!row.spec.persistent || persistence !== 'place' || filesGoWithSandbox !== true) return;
  throw new CaissonError(
    'failed_precondition',
    `the sandbox of ${row.taskId} is gone from ${row.backend}, and its files with it: something else has removed it there`,
    {
      remedy: `make a new one without the files: --recreate with the next command, or \`caisson rm ${row.taskId}\``,
      details: { taskId: row.taskId, sandboxId: row.id, backend: row.backend },
    },
  );
}
