/** One connection, set up the same way everywhere, and the one form of a transaction. */
import { DatabaseSync } from 'node:sqlite';

const busyTimeoutMs = 5000;

/** WAL lets readers go on while another process writes; FULL makes a commit survive a power cut. */
export function connect(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF');
    return db;
  } catch (error) {
    db.close();
    throw error;
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
