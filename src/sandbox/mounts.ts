/**
 * A directory of the host that a sandbox mounts is the one that was checked. What lies at its path may be changed between
 * the check and the engine's mount, above all by a sandbox that writes in a directory above it. So the path is checked
 * before each creation and each start, and what the sandbox shows is compared with it before its first command.
 */
import type { FileIdentity, Mount, Sandbox } from '../backend.ts';
import { CaissonError, toCaissonError } from '../errors.ts';
import { hostPlaces } from '../plan/host-places.ts';
import { sourceIdentity } from '../plan/mounted-file.ts';
import { checkMount } from '../plan/mounts.ts';
import { isWithin } from '../values/paths.ts';
import { everySandbox } from '../store/every-sandbox.ts';
import type { Degradation, SandboxRow } from '../store/store.ts';
import type { Context } from './context.ts';

/** A mount, and the file that it is to show. */
export interface CheckedMount {
  readonly mount: Mount;
  readonly identity: FileIdentity;
}

/**
 * Throws `invalid_argument` for a path that leads elsewhere by now or must not be mounted, `conflict` for one that
 * another sandbox can replace. A refusal is on record.
 */
export async function checkMounts(context: Context, row: SandboxRow): Promise<readonly CheckedMount[]> {
  const { mounts } = row.spec;
  if (mounts.length === 0) return [];
  const rows = await Array.fromAsync(everySandbox(context.store.sandboxes));
  return await recorded(context, row, async () =>
    mounts.map((mount) => {
      const replaceable = replaceableBy(mount, row.id, rows);
      if (replaceable !== null) throw replaceableError(mount, replaceable);
      const identity = sourceIdentity(mount);
      checkMount(mount, { stateDirectory: context.home, ...hostPlaces(context.env) });
      return { mount, identity };
    }),
  );
}

/**
 * What is missing where the mounted file cannot be compared. Throws `conflict` when the sandbox shows another file than
 * the checked one, `not_supported` when that cannot be seen and `mayMiss` is false.
 */
export async function proveMounts(
  context: Context,
  { row, sandbox, mayMiss }: { readonly row: SandboxRow; readonly sandbox: Sandbox; readonly mayMiss: boolean },
  checked: readonly CheckedMount[],
): Promise<readonly Degradation[]> {
  return await recorded(context, row, async () => {
    const unseen: Degradation[] = [];
    for (const { mount, identity } of checked) {
      const shown = (await sandbox.mounted?.identify(mount.target)) ?? null;
      if (shown === null) unseen.push(unproved(mount));
      else if (shown.device !== identity.device || shown.inode !== identity.inode) throw mountChangedError(mount);
    }
    const [first] = unseen;
    if (first !== undefined && !mayMiss) throw mountUnprovedError(first);
    return unseen;
  });
}

/** The task whose sandbox can put something else at the source of this mount; `null`: none. Pure. */
export function replaceableBy(mount: Mount, sandboxId: string, rows: readonly SandboxRow[]): string | null {
  const above = ({ source, readOnly }: Mount): boolean =>
    !readOnly && source !== mount.source && isWithin(mount.source, source);
  return rows.find(({ id, spec }) => id !== sandboxId && spec.mounts.some(above))?.taskId ?? null;
}

async function recorded<T>(context: Context, row: SandboxRow, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = toCaissonError(error);
    const sources = row.spec.mounts.map(({ source }) => source);
    const about = { sandboxId: row.id, backend: row.backend, sources, refused: code, why: message };
    await context.audit.record({ type: 'mount', taskId: row.taskId, execId: null, ...about });
    throw error;
  }
}

function unproved({ target }: Mount): Degradation {
  const reason = 'it cannot be seen from here whether the mounted directory is the one that was checked';
  return { control: 'mounts', wanted: target, reason, asked: true };
}

function mountUnprovedError({ reason, wanted }: Degradation): CaissonError {
  return new CaissonError('not_supported', `the mount at ${String(wanted)} is refused: ${reason}`, {
    details: { target: wanted },
    remedy: 'run Caisson as root on the kernel of the engine, or allow it: --allow-degraded, or allow_degraded: true',
  });
}

function replaceableError({ source, target }: Mount, taskId: string): CaissonError {
  const text = `${JSON.stringify(source)} cannot be mounted: the sandbox of task ${taskId} can replace it`;
  return new CaissonError('conflict', text, {
    details: { source, target, taskId },
    remedy: `remove the sandbox of ${taskId}, which mounts a directory above it, or start from another directory`,
  });
}

function mountChangedError({ source, target }: Mount): CaissonError {
  const text = `the sandbox was stopped: ${target} shows another directory than ${JSON.stringify(source)}, which was checked`;
  return new CaissonError('conflict', text, {
    details: { source, target },
    remedy: 'look at what replaces that directory on the host, then try again',
  });
}
