/** What makes a repeated exec id the same request: a hash of the request as it came, before any rule or profile changes it. */
import { createHash } from 'node:crypto';
import { CaissonError } from '../errors.ts';

export interface Asked {
  readonly taskId?: string | undefined;
  readonly backend?: string | undefined;
  readonly cwd?: string | undefined;
  /** Arguments, or the language and the text of a program. */
  readonly words: readonly string[];
}

export function identityOf({ taskId, backend, cwd, words }: Asked): string {
  const asked = [taskId ?? null, backend ?? null, cwd ?? null, ...words];
  return createHash('sha256').update(JSON.stringify(asked)).digest('base64url');
}

export function taken(execId: string): CaissonError {
  return new CaissonError('already_exists', `${execId} has been started before`, {
    details: { execId },
    remedy: 'read its record; a command is never run twice; choose another id to run it again',
  });
}
