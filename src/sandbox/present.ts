/** The sandbox of a row as it is now, without starting or making anything. */
import type { Cancelable, Sandbox } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import { keptKey } from '../inside/kept.ts';
import type { ProcessDirectory } from '../exec/detached/list.ts';
import type { SandboxRow } from '../store/store.ts';
import type { Context } from './context.ts';
import { attachIfThere } from './finish.ts';
import { keepLive } from './live.ts';

/** `null` when it does not run. */
export async function presentSandbox(
  context: Context,
  row: SandboxRow,
  options: Cancelable = {},
): Promise<Sandbox | null> {
  if (row.state !== 'ready' || row.ref === null) return null;
  const known = context.live.get(row.id);
  if (known !== undefined) return known;
  const sandbox = await attachIfThere(await context.backend(row.backend), row.ref, options);
  return sandbox === null || sandbox.state !== 'running' ? null : keepLive(context, row, sandbox);
}

/** Finds the place inside a sandbox where Caisson keeps its own files. */
export async function keptIn(
  context: Context,
  row: SandboxRow,
  sandbox: Sandbox,
  signal?: AbortSignal,
): Promise<ProcessDirectory> {
  const { isolation } = await (await context.backend(row.backend)).guarantees();
  return { sandbox, key: keptKey(isolation, row.id), signal };
}

export function notRunningError(row: SandboxRow): CaissonError {
  return new CaissonError('failed_precondition', `the sandbox of ${row.taskId} does not run`, {
    remedy: `start it with \`caisson start ${row.taskId}\`; what its processes wrote is kept when it is persistent`,
  });
}
