/** Copies between this host and a sandbox, with what is known about both. */
import { join } from 'node:path';
import type { CopyInput, CopyResult, Options } from './api.ts';
import { copyIn } from './files/copy-in.ts';
import type { copyOut } from './files/copy-out.ts';
import type { Context, Handle } from './sandbox/context.ts';

/** What sandboxes can write on this host is not trusted on the way: directories of tasks, and what is bound in. */
export async function copyBetween(
  copy: typeof copyIn | typeof copyOut,
  place: { readonly context: Context; readonly handle: Handle },
  { source, target, ...options }: Pick<CopyInput, 'source' | 'target'> & Options,
): Promise<CopyResult> {
  const { sandbox, row } = place.handle;
  const bound = row.spec.mounts.filter((mount) => !mount.readOnly).map((mount) => mount.source);
  place.context.audit.record({
    type: 'copy',
    taskId: row.taskId,
    execId: null,
    direction: copy === copyIn ? 'in' : 'out',
    source,
    target,
  });
  const untrusted = [join(place.context.home, 'sandboxes'), ...bound];
  return await copy(sandbox, { source, target, untrusted, env: { CAISSON_EXEC: 'copy' }, ...options });
}
