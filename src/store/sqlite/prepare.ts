/**
 * From a path to an open, sound database of the right version, with the shared lock held.
 */
import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CaissonError } from '../../errors.ts';
import { connect } from './connection.ts';
import type { Clock } from '../../lib/clock.ts';
import { isDamage, storeError } from './errors.ts';
import { createPrivate, type Lock, lockShared, tryLockExclusive } from '../file-lock.ts';
import { migrate, type Migration, newestVersion, refuseNewer, versionOf } from './migrations.ts';
import type { Notice } from './notice.ts';
import { freeName, quarantine, stamp } from './quarantine.ts';
import { isSound, isTrusted, markSound } from './soundness.ts';

export interface Prepared {
  readonly db: DatabaseSync;
  readonly lock: Lock;
  readonly notices: readonly Notice[];
}

/**
 *   absent     no file, or one too short to be a database
 *   outdated   sound, of an older version; also new and without tables
 */
type DatabaseState =
  | { readonly is: 'ready' | 'outdated'; readonly db: DatabaseSync; readonly version: number }
  | { readonly is: 'absent' | 'damaged' };

export interface PrepareOptions {
  readonly migrations: readonly Migration[];
  /** How long to wait for other processes, when a repair needs the database for itself. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** The smallest page of SQLite. It takes a shorter file for an empty one, and says nothing. */
const leastBytes = 512;
const repairWaitMs = 200;
const sharedWaitMs = 5000;

/**
 * Who may have the database open, and who may replace it. Every open store holds the shared lock for its whole life. Creating,
 * migrating and setting aside a damaged file need the exclusive lock, so that none of it happens while a process uses the file.
 */
const lockFile = (path: string): string => `${path}.lock`;

export function prepare(path: string, options: PrepareOptions): Prepared {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const notices: Notice[] = tighten(path);
  const deadline = performance.now() + options.timeoutMs;
  for (;;) {
    const lock = lockShared(lockFile(path), sharedWaitMs);
    const found = inspectOrRelease(path, options, lock);
    if (found.is === 'ready') return { db: found.db, lock, notices };
    if (found.is === 'outdated') found.db.close();
    lock.release();
    const done = repair(path, options);
    notices.push(...(done ?? []));
    if (performance.now() > deadline) throw databaseInUseError(path, found.is);
  }
}

function inspectOrRelease(path: string, options: PrepareOptions, lock: Lock): DatabaseState {
  try {
    return inspect(path, options);
  } catch (error) {
    lock.release();
    throw error;
  }
}

function inspect(path: string, options: PrepareOptions): DatabaseState {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size < leastBytes) return { is: 'absent' };
  let db: DatabaseSync | null = null;
  try {
    db = connect(path);
    const version = soundVersion(path, db, options);
    if (version !== null) {
      refuseNewer(path, version, options.migrations);
      return { is: version === newestVersion(options.migrations) ? 'ready' : 'outdated', db, version };
    }
  } catch (error) {
    db?.close();
    if (!isDamage(error)) throw error;
    return { is: 'damaged' };
  }
  db.close();
  return { is: 'damaged' };
}

/** `null`: damaged. One that is migrated is read as a whole in any case. */
function soundVersion(path: string, db: DatabaseSync, { migrations, clock }: PrepareOptions): number | null {
  const version = versionOf(db);
  const isReady = version === newestVersion(migrations);
  if (isReady && isTrusted(path, db, clock)) return version;
  if (!isSound(db)) return null;
  if (isReady) markSound(path, clock);
  return version;
}

/** `null` when another process has the database open, and may be repairing it itself. */
function repair(path: string, options: PrepareOptions): readonly Notice[] | null {
  const lock = tryLockExclusive(lockFile(path), repairWaitMs);
  if (lock === null) return null;
  try {
    const found = inspect(path, options);
    if (found.is === 'ready') found.db.close();
    else if (found.is === 'outdated') return upgrade(path, found, options.migrations);
    else return renew(path, options.migrations);
    return [];
  } finally {
    lock.release();
  }
}

function upgrade(
  path: string,
  found: { readonly db: DatabaseSync; readonly version: number },
  known: readonly Migration[],
): readonly Notice[] {
  const { db, version } = found;
  const copy = version === 0 ? null : freeName(`${path}.v${version}-${stamp(new Date())}`);
  try {
    if (copy !== null) backup(db, copy);
    migrate(db, known);
    if (copy === null) return [];
    return [
      {
        id: 'migrated',
        path: copy,
        message: `the database was brought from version ${version} to ${newestVersion(known)}; a copy is kept as ${copy}`,
      },
    ];
  } catch (error) {
    // The step is one transaction, so that the older version works on as before; half a copy would only take space.
    if (copy !== null) rmSync(copy, { force: true });
    throw storeError(error, `bring ${path} from version ${version} to ${newestVersion(known)}, and changed nothing`);
  } finally {
    db.close();
  }
}

function backup(db: DatabaseSync, copy: string): void {
  createPrivate(copy);
  db.prepare('VACUUM INTO ?').run(copy);
}

function renew(path: string, known: readonly Migration[]): readonly Notice[] {
  const aside = quarantine(path, new Date());
  createPrivate(path);
  const db = connect(path);
  try {
    migrate(db, known);
  } finally {
    db.close();
  }
  if (aside === null) return [];
  return [
    {
      id: 'quarantined',
      path: aside,
      message: `the database was damaged and a new one was started; the damaged one is kept as ${aside}`,
    },
  ];
}

function tighten(path: string): Notice[] {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) === 0) return [];
  chmodSync(path, 0o600);
  return [{ id: 'permissions-tightened', path, message: `${path} was open to other users; its mode is 0600 now` }];
}

function databaseInUseError(path: string, state: string): CaissonError {
  return new CaissonError(
    'failed_precondition',
    `${path} is ${state} and cannot be put right while another process has it open`,
    {
      remedy: 'stop every Caisson process that uses this state directory, then start one',
      details: { path, state },
    },
  );
}
