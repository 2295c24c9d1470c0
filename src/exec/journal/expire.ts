import type { Stats } from 'node:fs';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from './problem.ts';
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
  const files: StoredFile[] = [];
  for (const directory of directories) {
    for (const name of (await readdir(directory)).filter((each) => recordForm.test(each))) {
      const path = join(directory, name);
      const found = await statOf(path);
      if (found?.isFile() === true) files.push({ name, path, bytes: found.size, changedAt: found.mtimeMs });
    }
  }
  return files.sort((a, b) => a.changedAt - b.changedAt);
}

/** Which of them are too old, or too much, oldest first. What is in use stays and counts. */
export function chooseExpired(
  files: readonly StoredFile[],
  isUsed: (file: StoredFile) => boolean,
  bounds: Bounds,
): (Removed & StoredFile)[] {
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const chosen: (Removed & StoredFile)[] = [];
  for (const file of files) {
    const old = bounds.now - file.changedAt > bounds.retentionMs;
    if ((!old && total <= bounds.storeBytes) || isUsed(file)) continue;
    total -= file.bytes;
    chosen.push({ ...file, why: old ? 'older than records are kept' : 'all records together take more than they may' });
  }
  return chosen;
}

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
