/** A copy of the database as it is at one moment. */
import { rmSync } from 'node:fs';
import { backup, type DatabaseSync } from 'node:sqlite';
import { CaissonError } from '../../errors.ts';
import { connect } from './connection.ts';
import { createPrivate } from '../file-lock.ts';

/**
 * All pages in one step, on a connection of its own: a copy in several steps begins anew whenever another connection
 * writes (sqlite.org/c3ref/backup_finish.html), and under load would never end. Node takes the step on another thread.
 */
const allPages = 2 ** 31 - 1;

export async function copyDatabase(db: DatabaseSync, path: string): Promise<void> {
  const source = db.location();
  if (source === null) throw new CaissonError('failed_precondition', 'the database is in no file');
  if (!createPrivate(path)) throw new CaissonError('already_exists', `${path} is there`);
  const reader = connect(source);
  try {
    await backup(reader, path, { rate: allPages });
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    reader.close();
  }
}
