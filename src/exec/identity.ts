/** What makes a repeated exec id the same request: a hash of the request as it came, before any rule or profile changes it. */
import { createHash } from 'node:crypto';

export interface Asked {
  readonly kind: 'exec' | 'detached';
  readonly taskId?: string | undefined;
  readonly backend?: string | undefined;
  readonly cwd?: string | undefined;
  /** Arguments, or the language and the text of a program. */
  readonly words: readonly string[];
}

export function identityOf({ kind, taskId, backend, cwd, words }: Asked): string {
  const asked = [kind, taskId ?? null, backend ?? null, cwd ?? null, ...words];
  return createHash('sha256').update(JSON.stringify(asked)).digest('base64url');
}
