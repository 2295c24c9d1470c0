/** What makes a repeated exec id the same request: a hash of the request as it came, before any rule or profile changes it. */
import { createHash } from 'node:crypto';
import { CaissonError } from '../errors.ts';
import { failpoint } from '../lib/failpoint.ts';
import type { Store } from '../store/store.ts';
import type { Where } from '../values/exec-event.ts';

export interface ExecIdentity {
  readonly taskId?: string | undefined;
  readonly backend?: string | undefined;
  readonly cwd?: string | undefined;
  readonly user?: string | undefined;
  /** Arguments, or the language and the text of a program. */
  readonly words: readonly string[];
}

/** Ids that were taken before there were users keep their identity. */
export function identityOf({ taskId, backend, cwd, user, words }: ExecIdentity): string {
  const asked = [taskId ?? null, backend ?? null, cwd ?? null, ...words];
  const whole = user === undefined ? asked : { user, asked };
  return createHash('sha256').update(JSON.stringify(whole)).digest('base64url');
}

export interface NewId {
  readonly id: string;
  readonly where: Where;
  /** See `identityOf`. */
  readonly request: string;
  /** Whether it was made at random here just now. */
  readonly fresh: boolean;
}

/** Intent before effect: from here on no other command has this id, whatever becomes of its record. Throws `already_exists`. */
export async function takeId(store: Store, { id, where, request, fresh }: NewId): Promise<void> {
  const { taskId, sandboxId, backend } = where;
  const row = { id, kind: 'exec', taskId, sandboxId, backend, request } as const;
  if (fresh) store.execs.insertFresh({ ...row, startedAt: Date.now() });
  else if ((await store.execs.insert({ ...row, startedAt: store.steadyNow() })) !== null) throw execIdTakenError(id);
  await failpoint('exec-row');
}

export function execIdTakenError(execId: string): CaissonError {
  return new CaissonError('already_exists', `${execId} has been started before`, {
    details: { execId },
    remedy: 'read its record; a command is never run twice; choose another id to run it again',
  });
}
