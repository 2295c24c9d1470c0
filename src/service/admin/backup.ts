/**
 * A copy of a state directory that is in use: itself a state directory. Records come before the database, which is copied
 * last: an exec id that is on record is then taken in the copy too, and no command runs a second time from there.
 */
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { CaissonError } from '../../errors.ts';
import type { Backup } from '../installation.ts';
import type { Context } from '../../sandbox/context.ts';

/** Files of tasks, which only their owners can copy at a moment that suits them, and what is made again. */
const leftOut = new Set(['audit', 'sandboxes', 'cache', 'uploads', 'archives', 'reserve', 'reserve-files']);
/** Files of the database and its locks, which are left out; the copy gets its own. */
const ofDatabase = /^caisson\.db(?:-wal|-shm|\.lock(?:-journal)?|\.sound(?:\.\d+)?)?$/;
/** They name a service that runs, and hold its tokens: a command on the copy would go through it to the first directory. */
const ofService = /^service\.(?:json|answer|lock)/;

type BackupDependencies = Pick<Context, 'home' | 'store' | 'audit'>;

export async function backUp(parts: BackupDependencies, directory: string): Promise<Backup> {
  const target = resolve(directory);
  await checkTarget(parts.home, target);
  const draft = `${target}.partial-${crypto.randomUUID()}`;
  try {
    await mkdir(draft, { mode: 0o700 });
    await copyTree(parts.home, draft, (name) => leftOut.has(name) || ofDatabase.test(name) || ofService.test(name));
    await parts.audit.copyTo(join(draft, 'audit'));
    await parts.store.copyTo(join(draft, 'caisson.db'));
    const size = await measureDirectory(draft);
    await rename(draft, target);
    await sync(dirname(target));
    return { directory: target, ...size };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw failure(error, target);
  }
}

async function checkTarget(home: string, target: string): Promise<void> {
  // Without what links hide, it would be copied into itself until the disk is full.
  const parent = await realpath(dirname(target)).catch(() => dirname(target));
  if (`${join(parent, basename(target))}${sep}`.startsWith(`${await realpath(home)}${sep}`))
    throw new CaissonError('invalid_argument', `${target} is inside of the state directory`, {
      remedy: 'name a directory beside it, best on another disk',
    });
  if ((await lstat(target).catch(() => null)) === null) return;
  throw targetExistsError(target);
}

function targetExistsError(target: string): CaissonError {
  return new CaissonError('already_exists', `${target} is there`, { remedy: 'name a directory that is not there yet' });
}

/** Files and directories alone: sockets and links mean something in their place only. What goes meanwhile is left out. */
async function copyTree(from: string, to: string, isLeftOut: (name: string) => boolean = () => false): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (isLeftOut(entry.name)) continue;
    const [source, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      await mkdir(copy, { mode: 0o700 });
      await copyTree(source, copy).catch(unlessGone);
    } else if (entry.isFile()) await copyOne(source, copy).catch(unlessGone);
  }
}

async function copyOne(source: string, copy: string): Promise<void> {
  await copyFile(source, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await sync(copy);
}

async function sync(path: string): Promise<void> {
  await using file = await open(path, constants.O_RDONLY);
  await file.sync();
}

async function measureDirectory(directory: string): Promise<Pick<Backup, 'files' | 'bytes'>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return { files: files.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

function failure(error: unknown, target: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (error instanceof CaissonError || typeof code !== 'string') return error;
  // Another backup, or another program, has taken the name while this one was made.
  if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') return targetExistsError(target);
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return new CaissonError(full ? 'resource_exhausted' : 'failed_precondition', `no backup in ${target}: ${code}`, {
    cause: error,
    remedy: full ? 'free space there, or name another disk' : 'name a directory that this user can make',
  });
}
