/** One connection, set up the same way everywhere, and the one form of a transaction. */
import { DatabaseSync } from 'node:sqlite';

const busyTimeoutMs = 5000;

/**
 * WAL lets readers go on while another process writes. NORMAL makes a commit survive the death of any process, and leaves
 * the file sound after a power cut, which may take the last commits with it; for those it must not take, see `forced`.
 */
export function connect(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The commit, and all before it, survives a power cut. Waits for the disk: some milliseconds, more on a busy one. */
export function forced<T>(db: DatabaseSync, work: () => T): T {
  db.exec('PRAGMA synchronous = FULL');
  try {
    return work();
  } finally {
    db.exec('PRAGMA synchronous = NORMAL');
  }
}

/** Takes the write lock at the start, so that what was read is still true when it is written. */
export function immediate<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk makes SQLite roll back by itself; a second rollback would hide that error behind its own.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** In the transaction that goes on, or in one of its own. */
export function within<T>(db: DatabaseSync, work: () => T): T {
  return db.isTransaction ? work() : immediate(db, work);
}
