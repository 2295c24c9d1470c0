/**
 * Space of the state directory that is given up when its disk is full, so that what frees space still works: listing,
 * stopping and removing sandboxes, and clearing up write to the database, and SQLite needs room for its journal.
 */
import { rmSync, statfsSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CaissonError } from '../errors.ts';

export const reserveBytes = 16 * 1024 * 1024;
/** With less than this free, the next write of the database may fail. */
const fullBytes = 4 * 1024 * 1024;
/** With less than this, only what frees space is done: what the reserve has given must not be used up by commands. */
const narrowBytes = 8 * 1024 * 1024;
/** It is not made where it would be the last straw. */
const roomyBytes = 2 * reserveBytes;
const blockBytes = 1024 * 1024;

const nameOf = (home: string): string => join(home, 'reserve');

/** Free space for this user, in bytes; `null` where the system does not say. */
export function freeBytes(directory: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    // The directory is not there yet, or lies where the call is not allowed: then space is not managed.
    return null;
  }
}

/** Called before the store is opened. True when the reserve was given up just now. */
export function giveUpReserve(home: string): boolean {
  const free = freeBytes(home);
  if (free === null || free >= fullBytes) return false;
  if (statSync(nameOf(home), { throwIfNoEntry: false }) === undefined) return false;
  rmSync(nameOf(home), { force: true });
  return true;
}

/** Throws `resource_exhausted`: nothing is started on a disk that is nearly full. */
export function refuseWhenFull(home: string): void {
  const free = freeBytes(home);
  if (free === null || free >= narrowBytes) return;
  throw new CaissonError('resource_exhausted', 'the disk of the state directory is full, and no command is started', {
    remedy: 'free space on it: `caisson gc` and `caisson rm` work, and so does everything that removes files there',
    details: { freeBytes: free },
  });
}

/** Makes the reserve where it is missing and there is room. Its blocks are written: a file with holes reserves nothing. */
export async function keepReserve(home: string): Promise<void> {
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
