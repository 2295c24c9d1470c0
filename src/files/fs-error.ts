/** Turns an error of the host's file system into a CaissonError: classified by errno, with the path that people know. */
import { CaissonError, type Code } from '../errors.ts';

const codeOf: Readonly<Record<string, Code>> = {
  ENOENT: 'not_found',
  ENOTDIR: 'not_found',
  EACCES: 'permission_denied',
  EPERM: 'permission_denied',
  EROFS: 'permission_denied',
  ENOSPC: 'resource_exhausted',
  EDQUOT: 'resource_exhausted',
  EMFILE: 'resource_exhausted',
  ENFILE: 'resource_exhausted',
  ENAMETOOLONG: 'invalid_argument',
  EILSEQ: 'invalid_argument',
  EFBIG: 'resource_exhausted',
};

const remedyOf: Partial<Record<Code, string>> = {
  not_found: 'create the directory first, or correct the path',
  permission_denied: 'check the owner and mode of the path on the host',
  resource_exhausted: 'free space or descriptors on the host, then try again',
};

/** The errno name of an error of Node or the kernel, such as `ENOENT`; `null` for a `CaissonError`. */
export function errnoOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  return /^E[A-Z0-9_]+$/.test(error.code) ? error.code : null;
}

/** `doing` reads like "write /home/me/out": what could not be done. */
export function fsError(doing: string, error: unknown): CaissonError {
  if (error instanceof CaissonError) return error;
  const errno = errnoOf(error);
  if (errno === null) return new CaissonError('internal', `cannot ${doing}`, { cause: error });
  const code = codeOf[errno] ?? 'failed_precondition';
  return new CaissonError(code, `cannot ${doing}: ${errno}`, {
    cause: error,
    details: { errno },
    remedy: remedyOf[code] ?? 'check the path on the host',
  });
}
