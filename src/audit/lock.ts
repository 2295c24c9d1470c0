/**
 * One writer at a time, over all processes. An empty database carries nothing but SQLite's file locks: the kernel drops
 * them when a process ends, however it ends.
 */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** A holder that keeps it longer is stopped, and is not waited for. */
const patienceMs = 5000;

export interface Lock {
  within<T>(work: () => T): T;
  close(): void;
}

export function openLock(path: string): Lock {
  closeSync(openSync(path, 'a', 0o600)); // SQLite would create it by the umask
  const db = new DatabaseSync(path, { timeout: patienceMs });
  // Nothing is ever written to it; without a journal file to look for it is taken in a tenth of the time.
  db.exec('PRAGMA journal_mode = MEMORY');
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
