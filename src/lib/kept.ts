/**
 * Values that processes of one state directory keep for each other, so that work is done once. A value may be absent at any
 * time: its directory may be removed while Caisson runs.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kept } from '../backend.ts';

/** `directory` stands in the state directory, which other users cannot write to. */
export function keptIn(directory: string): Kept {
  const fileOf = (name: string): string => join(directory, `${name}.json`);
  return {
    read: (name) => readJson(fileOf(name)),
    write: (name, value) => {
      try {
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        replace(fileOf(name), JSON.stringify(value));
      } catch {
        // A full disk, or one that is read-only: the next process does the work again.
      }
    },
  };
}

function replace(path: string, text: string): void {
  const fresh = `${path}.${process.pid}.new`;
  try {
    writeFileSync(fresh, text, { mode: 0o600 });
    renameSync(fresh, path);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** `null` also for what a crash left half-written. */
function readJson(path: string): unknown {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return value;
  } catch {
    return null;
  }
}
