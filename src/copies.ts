/** Copies between this host and a sandbox, with what is known about both. */
import { join } from 'node:path';
import type { CopyInput, CopyResult, Options } from './api.ts';
import { copyIn } from './files/copy-in.ts';
import type { copyOut } from './files/copy-out.ts';
import { refusalOf } from './guard/writes/copies.ts';
import type { Context, Handle } from './sandbox/context.ts';

/** What sandboxes can write on this host is not trusted on the way: directories of tasks, and what is bound in. */
export async function copyBetween(
  copy: typeof copyIn | typeof copyOut,
  place: { readonly context: Context; readonly handle: Handle; readonly userHome: string },
  { source, target, confirmed = false, ...options }: Omit<CopyInput, 'task'> & Options,
): Promise<CopyResult> {
  const { sandbox, row } = place.handle;
  const bound = row.spec.mounts.filter((mount) => !mount.readOnly).map((mount) => mount.source);
  const onHost = copy !== copyIn || (await isHost(place.context, row.backend));
  const { userHome, context } = place;
  const refused = refusalOf({ source, target, onHost, confirmed }, { userHome, home: context.home });
  if (refused !== null) {
    const { code, message } = refused;
    const decision = { type: 'decision', taskId: row.taskId, execId: null, verdict: 'deny', code, message } as const;
    context.audit.recordSoon({ ...decision, kind: 'copy', source, target });
    throw refused;
  }
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

/** Paths inside a sandbox without isolation are paths of this host. */
async function isHost(context: Context, backend: string): Promise<boolean> {
  return (await (await context.backend(backend)).guarantees()).isolation === 'none';
}
