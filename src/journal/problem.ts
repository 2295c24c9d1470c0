import type { Code } from '../errors.ts';

export function errnoOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}

/** One sentence for the notes of an exit. */
export function diskProblem(error: unknown): string {
  const errno = errnoOf(error);
  const full = errno === 'ENOSPC' || errno === 'EDQUOT';
  const code: Code = full ? 'resource_exhausted' : 'unavailable';
  return `the record of this exec has gaps (${code}): ${full ? 'the disk of the journal is full' : `writing failed with ${errno ?? String(error)}`}`;
}
