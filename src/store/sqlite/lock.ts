/**
 * Who may have the database open, and who may replace it. A second, empty database carries nothing but SQLite's own
 * file locks: the kernel drops them when a process ends, however it ends.
 *
 * Every open store holds the shared lock for its whole life. Creating, migrating and setting aside a damaged file need
 * the exclusive lock, so none of that ever happens under the feet of a living process.
 */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { errnoOf, isBusy } from './errors.ts';

export interface Lock {
  release(): void;
}

const sharedWaitMs = 5000;

export function lockShared(path: string): Lock {
  // Reading inside a transaction takes the lock; leaving the transaction open keeps it.
  return take(path, sharedWaitMs, 'BEGIN; SELECT count(*) FROM sqlite_schema');
}

/** `null` when someone else has the database open. */
export function tryLockExclusive(path: string, waitMs: number): Lock | null {
  try {
    return take(path, waitMs, 'BEGIN EXCLUSIVE');
  } catch (error) {
    if (isBusy(error)) return null;
    throw error;
  }
}

function take(path: string, waitMs: number, sql: string): Lock {
  const file = `${path}.lock`;
  createPrivate(file);
  const db = new DatabaseSync(file, { timeout: waitMs });
  try {
    db.exec(sql);
  } catch (error) {
    db.close();
    throw error;
  }
  return { release: () => db.close() };
}

/** SQLite would create files by the umask. True when it was not there. */
export function createPrivate(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}
