/**
 * Gives failures of SQLite and of the file system one of Caisson's codes, by number and never by text.
 * Result codes: https://www.sqlite.org/rescode.html
 */
import { CaissonError, type Code } from '../../errors.ts';
import { given } from '../../lib/given.ts';

const full = 13;
const shmSize = 4874;
const constraintPrimaryKey = 1555;
const constraintUnique = 2067;

const codeOfPrimary: Readonly<Record<number, Code>> = {
  3: 'failed_precondition', // PERM
  5: 'unavailable', // BUSY
  6: 'unavailable', // LOCKED
  8: 'failed_precondition', // READONLY
  10: 'unavailable', // IOERR
  11: 'internal', // CORRUPT
  [full]: 'resource_exhausted',
  14: 'failed_precondition', // CANTOPEN
  23: 'failed_precondition', // AUTH
  26: 'internal', // NOTADB
};

const codeOfErrno: Readonly<Record<string, Code>> = {
  ENOSPC: 'resource_exhausted',
  EDQUOT: 'resource_exhausted',
  EMFILE: 'resource_exhausted',
  ENFILE: 'resource_exhausted',
  EACCES: 'failed_precondition',
  EPERM: 'failed_precondition',
  EROFS: 'failed_precondition',
  ENOTDIR: 'failed_precondition',
  EISDIR: 'failed_precondition',
  EIO: 'unavailable',
};

const remedies: Partial<Record<Code, string>> = {
  resource_exhausted: 'free space on the disk that holds the state directory, or inodes (`df -i`), then try again',
  unavailable: 'try again; if it stays, see whether another process or the disk is stuck',
  failed_precondition:
    'make the state directory readable and writable for this user, and see with `df -i` whether its disk has inodes left',
  internal: 'restart Caisson: a damaged database is set aside at the start and kept',
};

/** The extended result code, or `null` when it was not SQLite that failed. */
export function resultCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode : null;
}

/** The file is not a sound database. Being locked, unreadable or out of space is something else. */
export function isDamage(error: unknown): boolean {
  const primary = (resultCode(error) ?? 0) & 0xff;
  return primary === 11 || primary === 26;
}

export function isBusy(error: unknown): boolean {
  return ((resultCode(error) ?? 0) & 0xff) === 5;
}

export function isTaken(error: unknown): boolean {
  const code = resultCode(error);
  return code === constraintPrimaryKey || code === constraintUnique;
}

/** `doing` completes the sentence "cannot ...". Our own errors pass unchanged. */
export function storeError(error: unknown, doing: string): CaissonError {
  if (error instanceof CaissonError) return error;
  const code = codeOf(error);
  const remedy = remedies[code];
  return new CaissonError(code, `cannot ${doing}: ${reasonOf(error)}`, {
    cause: error,
    details: { sqlite: resultCode(error) },
    ...given({ remedy }),
  });
}

function codeOf(error: unknown): Code {
  const result = resultCode(error);
  if (result === shmSize) return 'resource_exhausted';
  if (result !== null) return codeOfPrimary[result & 0xff] ?? 'internal';
  return codeOfErrno[errnoOf(error)] ?? 'internal';
}

export function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown failure';
}
