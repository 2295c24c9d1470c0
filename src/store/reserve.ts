/**
 * Space and inodes of the state directory that are given up when its disk has none left, so that what frees them still works:
 * listing, stopping and removing sandboxes, and clearing up write to the database, and SQLite needs room for its journal
 * and names for the files beside it.
 */
import { mkdirSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CaissonError } from '../errors.ts';

export const reserveBytes = 16 * 1024 * 1024;
/** The next write of the database may fail with less than this free. */
const fullBytes = 4 * 1024 * 1024;
/** Only what frees space is done with less than this: what the reserve has given must not be used up by commands. */
const narrowBytes = 8 * 1024 * 1024;
/** It is not made where it would be the last straw. */
const roomyBytes = 2 * reserveBytes;
const blockBytes = 1024 * 1024;

/** Inodes run out apart from bytes, so that they have a reserve and limits of their own. */
export const reserveFiles = 32;
const fullFiles = 8;
const narrowFiles = 16;
const roomyFiles = 2 * reserveFiles;

const nameOf = (home: string): string => join(home, 'reserve');
const filesOf = (home: string): string => join(home, 'reserve-files');

export interface Free {
  /** For this user. */
  readonly bytes: number;
  /** Size of the disk. */
  readonly totalBytes: number;
  /** Inodes. `null`: the file system has as many as there is space for. */
  readonly files: number | null;
}

/** `null` where the system does not say. */
export function freeIn(directory: string): Free | null {
  try {
    const { bavail, blocks, bsize, files, ffree } = statfsSync(directory);
    return { bytes: bavail * bsize, totalBytes: blocks * bsize, files: files === 0 ? null : ffree };
  } catch {
    // The directory is not there yet, or lies where the call is not allowed: then space is not managed.
    return null;
  }
}

/** Free space for this user, in bytes; `null` where the system does not say. */
export function freeBytes(directory: string): number | null {
  return freeIn(directory)?.bytes ?? null;
}

/** Called before the store is opened, and by sweeps. True when a reserve was given up just now. */
export function giveUpReserve(home: string): boolean {
  const free = freeIn(home);
  if (free === null) return false;
  const gaveBytes = free.bytes < fullBytes && giveUp(nameOf(home));
  const gaveFiles = (free.files ?? fullFiles) < fullFiles && giveUp(filesOf(home));
  return gaveBytes || gaveFiles;
}

function giveUp(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return false;
  rmSync(path, { recursive: true, force: true });
  return true;
}

/** Throws `resource_exhausted`: nothing is started on a disk that is nearly full, or has hardly an inode left. */
export function refuseWhenFull(home: string): void {
  const free = freeIn(home);
  if (free === null) return;
  if (free.bytes < narrowBytes) throw diskFullError('is full', { freeBytes: free.bytes });
  if (free.files !== null && free.files < narrowFiles)
    throw diskFullError('has no inodes left (`df -i`)', { freeInodes: free.files });
}

function diskFullError(what: string, details: Readonly<Record<string, number>>): CaissonError {
  return new CaissonError('resource_exhausted', `the disk of the state directory ${what}, and nothing is started`, {
    remedy:
      'free space or inodes on it: `caisson gc` and `caisson rm` work, and so does everything that removes files there',
    details,
  });
}

/** Makes the reserves where they are missing and there is room. */
export async function keepReserve(home: string): Promise<void> {
  keepFiles(home);
  await keepBytes(home);
}

function keepFiles(home: string): void {
  const directory = filesOf(home);
  const free = freeIn(home)?.files ?? null;
  if (free === null || free < roomyFiles) return;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (readdirSync(directory).length >= reserveFiles) return;
    for (let n = 1; n <= reserveFiles; n += 1) writeFileSync(join(directory, String(n)), '', { mode: 0o600 });
  } catch {
    // The next sweep tries again.
  }
}

/** The blocks are written: a file with holes reserves nothing. */
async function keepBytes(home: string): Promise<void> {
  if (statSync(nameOf(home), { throwIfNoEntry: false })?.size === reserveBytes) return;
  if ((freeBytes(home) ?? 0) < roomyBytes) return;
  const draft = `${nameOf(home)}.${process.pid}`;
  try {
    await writeBlocks(draft);
    await rename(draft, nameOf(home));
  } catch {
    // The next sweep tries again.
    await rm(draft, { force: true });
  }
}

/** Random, so that a file system that compresses keeps as many blocks. */
async function writeBlocks(path: string): Promise<void> {
  const block = randomBytes(blockBytes);
  const file = await open(path, 'w', 0o600);
  try {
    for (let written = 0; written < reserveBytes; written += blockBytes) await file.write(block);
  } finally {
    await file.close();
  }
}
