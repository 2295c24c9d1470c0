/** What a place has done to a sandbox while no Caisson looked: it ended it, with or without some of its files. */
import { isDeepStrictEqual } from 'node:util';
import type { Sandbox } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import type { SandboxRow } from '../store/store.ts';
import type { Context } from './context.ts';

/**
 * Of a sandbox that is about to be started: stores the ref by which its files are found now, and since when they are lost,
 * which it answers. Both precede the start, after which the place knows nothing of it.
 */
export async function recordEnd(
  context: Context,
  { row, sandbox }: { readonly row: SandboxRow; readonly sandbox: Sandbox },
): Promise<string | null> {
  const { ref } = sandbox;
  const lostSince = sandbox.lost === undefined ? null : momentOf(sandbox.lost.since, row);
  if (lostSince === null && isDeepStrictEqual(ref, row.ref)) return null;
  await context.store.updateSandbox(row.id, { ref, ...(lostSince === null ? {} : { lostSince }) });
  if (lostSince === null) return null;
  const about = { sandboxId: row.id, backend: row.backend, since: lostSince };
  await context.audit.record({ type: 'loss', taskId: row.taskId, execId: null, ...about });
  return lostSince;
}

/** What is no moment is answered with the earliest that it can be. */
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
