/** From errors of the system to codes, by their `code` alone. */
import { CaissonError, type Code } from '../../src/errors.ts';

const codeOf: Readonly<Record<string, Code>> = {
  E2BIG: 'invalid_argument',
  ENAMETOOLONG: 'invalid_argument',
  ERR_INVALID_ARG_VALUE: 'invalid_argument',
  ERR_INVALID_ARG_TYPE: 'invalid_argument',
  EAGAIN: 'resource_exhausted',
  EMFILE: 'resource_exhausted',
  ENFILE: 'resource_exhausted',
  ENOMEM: 'resource_exhausted',
  ENOSPC: 'resource_exhausted',
  EDQUOT: 'resource_exhausted',
  EACCES: 'permission_denied',
  EPERM: 'permission_denied',
  EROFS: 'failed_precondition',
};

export function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** `doing` reads as in "could not ...". A CaissonError stays as it is; one that is not of the system is a bug. */
export function systemError(error: unknown, doing: string): CaissonError {
  if (error instanceof CaissonError) return error;
  const name = systemCode(error);
  const code = name === null ? 'internal' : (codeOf[name] ?? 'unavailable');
  return new CaissonError(code, `could not ${doing}${name === null ? '' : ` (${name})`}`, { cause: error });
}
