/** Copies between this host and a sandbox, with what is known about both. */
import { join } from 'node:path';
import type { CopyInput, CopyResult, FilesApi, Options } from '../api.ts';
import { type CaissonError, isCode } from '../../errors.ts';
import { copyIn } from '../../files/copy-in.ts';
import { copyOut } from '../../files/copy-out.ts';
import { copyRefusedError, vetting } from '../../guard/writes/copies.ts';
import type { Context, Handle } from '../../sandbox/context.ts';
import type { Within } from '../../sandbox/healing.ts';
import type { SandboxRow } from '../../store/store.ts';
import { readRecord, recordStamp } from '../../secrets/credentials/record.ts';

export interface CopyDependencies {
  readonly context: Context;
  readonly userHome: string;
  readonly within: Within;
}

export function createCopyTools({ within, ...place }: CopyDependencies): Pick<FilesApi, 'copyIn' | 'copyOut'> {
  const by =
    (copy: typeof copyIn | typeof copyOut): FilesApi['copyIn'] =>
    ({ task, ...paths }, options = {}) =>
      within(task, options, (handle) => copyBetween(copy, { ...place, handle }, { ...paths, ...options }));
  return { copyIn: by(copyIn), copyOut: by(copyOut) };
}

/** What sandboxes can write on this host is not trusted on the way: directories of tasks, and what is bound in. */
async function copyBetween(
  copy: typeof copyIn | typeof copyOut,
  place: { readonly context: Context; readonly handle: Handle; readonly userHome: string },
  { source, target, confirmed = false, limits, ...options }: Omit<CopyInput, 'task'> & Options,
): Promise<CopyResult> {
  const { sandbox, row } = place.handle;
  const onHost = copy !== copyIn || (await isHost(place.context, row.backend));
  const { userHome, context } = place;
  const wanted = { source, target, onHost, confirmed };
  const surroundings = { userHome, home: context.home };
  const refused = copyRefusedError(wanted, surroundings);
  const auditedError = (refusal: CaissonError): CaissonError => {
    const { code, message } = refusal;
    const decision = { type: 'decision', taskId: row.taskId, execId: null, verdict: 'deny', code, message } as const;
    context.audit.recordSoon({ ...decision, kind: 'copy', source, target });
    return refusal;
  };
  if (refused !== null) throw auditedError(refused);
  const withheld = await credentialsInside(context.home, row.id);
  await place.context.audit.record({
    type: 'copy',
    taskId: row.taskId,
    execId: null,
    direction: copy === copyIn ? 'in' : 'out',
    source,
    target,
    ...(copy === copyIn || withheld === null ? {} : { withheld }),
  });
  const untrusted = untrustedOf(context, row);
  const env = { CAISSON_EXEC: 'copy' };
  const vet = vetting(wanted, surroundings);
  return await copy(sandbox, {
    source,
    target,
    untrusted,
    withheld,
    env,
    ...(vet === null ? {} : { vet }),
    ...(copy === copyIn || limits === undefined ? {} : { limits }),
    ...options,
  }).catch((error: unknown) => {
    throw isCode(error, 'policy_denied') || isCode(error, 'approval_required') ? auditedError(error) : error;
  });
}

/** Directories of this host that a sandbox can write. */
export function untrustedOf({ home }: Context, { spec }: SandboxRow): readonly string[] {
  const bound = spec.mounts.filter((mount) => !mount.readOnly).map((mount) => mount.source);
  return [join(home, 'sandboxes'), ...bound];
}

/** Finds the directory of credential files in the sandbox; `null`: it has no such files. */
export async function credentialsInside(home: string, sandboxId: string): Promise<string | null> {
  return recordStamp(home, sandboxId) === null ? null : (await readRecord(home, sandboxId)).directory;
}

/** Paths inside a sandbox without isolation are paths of this host. */
export async function isHost(context: Context, backend: string): Promise<boolean> {
  return (await (await context.backend(backend)).guarantees()).isolation === 'none';
}
