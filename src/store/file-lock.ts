/**
 * Locks between the processes of one host. The file is an empty database that carries nothing but SQLite's file locks: the
 * kernel drops them when a process ends, however it ends.
 */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { errnoOf, isBusy } from './sqlite/errors.ts';

export interface Lock {
  release(): void;
}

/** A lock that is taken for each piece of work. */
export interface Turnstile {
  within<T>(work: () => T): T;
  close(): void;
}

/** Many processes may hold it at once, and then none exclusively. Throws when `waitMs` is over. */
export function lockShared(path: string, waitMs: number): Lock {
  // Reading inside a transaction takes the lock; leaving the transaction open keeps it.
  return hold(path, waitMs, 'BEGIN; SELECT count(*) FROM sqlite_schema');
}

/** `null`: another process still has the lock when `waitMs` is over. */
export function tryLockExclusive(path: string, waitMs: number): Lock | null {
  try {
    return hold(path, waitMs, 'BEGIN EXCLUSIVE');
  } catch (error) {
    if (isBusy(error)) return null;
    throw error;
  }
}

/** One process at a time. A holder that keeps the lock for more than `waitMs` has stopped, and makes `within` throw. */
export function openTurnstile(path: string, waitMs: number): Turnstile {
  const db = open(path, waitMs);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const end = db.prepare('ROLLBACK');
  return {
    within: (work) => {
      begin.run();
      try {
        return work();
      } finally {
        end.run();
      }
    },
    close: () => db.close(),
  };
}

function hold(path: string, waitMs: number, sql: string): Lock {
  const db = open(path, waitMs);
  try {
    db.exec(sql);
  } catch (error) {
    db.close();
    throw error;
  }
  return { release: () => db.close() };
}

function open(path: string, waitMs: number): DatabaseSync {
  createPrivate(path);
  const db = new DatabaseSync(path, { timeout: waitMs });
  // Nothing is ever written to it; without a journal file to look for, the lock is taken in a tenth of the time.
  db.exec('PRAGMA journal_mode = MEMORY');
  return db;
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
