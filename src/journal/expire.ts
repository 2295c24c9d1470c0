import type { Stats } from 'node:fs';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fairLevel } from '../lib/fair-level.ts';
import { operator } from '../values/caller.ts';
import { errnoOf } from './problem.ts';
import { ownerOfFile } from './segment.ts';
import { maxOfOwner } from './spill-room.ts';
import type { Removed } from './types.ts';

export interface Bounds {
  readonly storeBytes: number;
  readonly retentionMs: number;
  readonly now: number;
}

export interface StoredFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly changedAt: number;
}

const recordForm = /\.(?:seg|stdout|stderr)$/;

/** All files of the journal, oldest first. */
export async function storedFiles(directories: readonly string[]): Promise<StoredFile[]> {
  const found = await Promise.all(directories.map(async (directory) => await filesIn(directory)));
  return found.flat().sort((a, b) => a.changedAt - b.changedAt);
}

async function filesIn(directory: string): Promise<StoredFile[]> {
  const names = (await readdir(directory)).filter((name) => recordForm.test(name));
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(directory, name);
      const found = await statOf(path);
      return found?.isFile() === true ? [{ name, path, bytes: found.size, changedAt: found.mtimeMs }] : [];
    }),
  );
  return files.flat();
}

/** Share that clearing up leaves in a full store. Otherwise every further output would begin by clearing up. */
const keptShare = 3 / 4;
/** From here on it counts as full: what runs must not reach the limit before the next look. */
const fullShare = 7 / 8;

/** Which of them are too old, or of an owner with too much, oldest first. What is in use stays and counts. */
export function chooseExpired(
  files: readonly StoredFile[],
  isUsed: (file: StoredFile) => boolean,
  bounds: Bounds,
): (Removed & StoredFile)[] {
  const used = new Map<string, number>();
  const add = (owner: string, bytes: number): void => void used.set(owner, (used.get(owner) ?? 0) + bytes);
  for (const { name, bytes } of files) add(ownerOfFile(name), bytes);
  const maxOf = maxKept(used, bounds);
  const chosen: (Removed & StoredFile)[] = [];
  for (const file of files) {
    const owner = ownerOfFile(file.name);
    const old = bounds.now - file.changedAt > bounds.retentionMs;
    if ((!old && (used.get(owner) ?? 0) <= maxOf(owner)) || isUsed(file)) continue;
    add(owner, -file.bytes);
    chosen.push({ ...file, why: old ? 'older than records are kept' : tooMuch(owner) });
  }
  return chosen;
}

/** Owners with less than their share keep all of it in a full store. An owner at its own limit loses its own alone. */
function maxKept(used: ReadonlyMap<string, number>, { storeBytes }: Bounds): (owner: string) => number {
  const amounts = [...used.values()];
  const kept = (bytes: number, max: number, then: number): number => (bytes > fullShare * max ? then : Infinity);
  const total = amounts.reduce((sum, bytes) => sum + bytes, 0);
  const level = kept(total, storeBytes, fairLevel(amounts, keptShare * storeBytes));
  return (owner) => {
    const own = maxOfOwner(owner, storeBytes);
    return Math.min(level, kept(used.get(owner) ?? 0, own, keptShare * own));
  };
}

const tooMuch = (owner: string): string =>
  owner === operator
    ? 'all records together take more than they may'
    : `records of ${owner} take more than its share of all`;

/** Whether so much time has passed since another process, or this one, took a turn. The file's time is the record of it. */
export async function takeTurn(path: string, everyMs: number): Promise<boolean> {
  const last = await statOf(path);
  if (last !== null && Math.abs(Date.now() - last.mtimeMs) < everyMs) return false;
  await writeFile(path, '', { mode: 0o600 });
  return true;
}

export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

async function statOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    // Another process may be clearing up at the same time.
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}
