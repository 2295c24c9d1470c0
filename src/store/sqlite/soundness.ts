/**
 * When the whole database is read to see whether it is sound. `PRAGMA quick_check` takes time in proportion to the file, and
 * a command line opens the database anew for each command. A file beside the database says when and in which boot it was
 * found sound. It holds until a process died with the database open, the machine was booted, the file was replaced, a
 * statement met damage, or a day has passed.
 */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { CaissonError } from '../../errors.ts';
import { type Clock, momentOf, sinceMs } from '../../lib/clock.ts';
import { isDamage, storeError } from './errors.ts';
import { isAlive } from '../../lib/holder.ts';
import { holdersIn } from './leases.ts';
import { integer, json, number, object, text } from './shape.ts';

const maxAgeMs = 86_400_000;

interface Mark {
  readonly bootId: string;
  readonly bootMs: number;
  /** Inode of the database file: a file that replaced it is checked anew. */
  readonly inode: number;
}
const markShape = json(object<Mark>({ bootId: text, bootMs: number, inode: integer }));

const markOf = (path: string): string => `${path}.sound`;

/** Whether a database of the newest version was found sound lately and only live processes hold it, so that no check is due. */
export function isTrusted(path: string, db: DatabaseSync, clock: Clock): boolean {
  return isRecent(readMark(path), path, clock) && holdersIn(db).every((holder) => isAlive(holder, clock));
}

function isRecent(mark: Mark | null, path: string, clock: Clock): boolean {
  if (mark === null || mark.bootId !== clock.bootId || mark.inode !== statSync(path).ino) return false;
  const { bootId, bootMs } = mark;
  return sinceMs({ wallMs: 0, boot: { id: bootId, ms: bootMs } }, clock) < maxAgeMs;
}

function readMark(path: string): Mark | null {
  try {
    return markShape(readFileSync(markOf(path), 'utf8'), 'mark');
  } catch {
    // Absent, torn or unreadable: the database is read, which is right in any case.
    return null;
  }
}

/** Reads the whole database. */
export function isSound(db: DatabaseSync): boolean {
  return db.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] === 'ok';
}

export function markSound(path: string, clock: Clock): void {
  const { boot } = momentOf(clock);
  if (boot === null) return;
  const draft = `${markOf(path)}.${process.pid}`;
  try {
    const mark: Mark = { bootId: boot.id, bootMs: boot.ms, inode: statSync(path).ino };
    writeFileSync(draft, JSON.stringify(mark), { mode: 0o600 });
    renameSync(draft, markOf(path));
  } catch {
    // A full or read-only disk: the next one to open the database reads it again.
    rmSync(draft, { force: true });
  }
}

/** `storeError`, after which a database that turned out to be damaged is read at the next start. */
export function databaseError(db: DatabaseSync, error: unknown, doing: string): CaissonError {
  const path = isDamage(error) ? db.location() : null;
  if (path !== null) rmSync(markOf(path), { force: true });
  return storeError(error, doing);
}
