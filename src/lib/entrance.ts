/**
 * The file by which a place names a process in the network namespace of a sandbox, beside the socket of its door: see
 * `CreateOptions.door`. The number alone would be another process's one day, so its start time goes with it.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTimeOf } from './start-time.ts';

export interface Entrance {
  readonly pid: number;
  /** Start time of the process, by `startTimeOf`. */
  readonly startedAt: string;
}

const name = 'entrance';

/** In one step. Does nothing for a process that is gone. */
export function writeEntrance(directory: string, pid: number): void {
  const startedAt = startTimeOf(pid);
  if (startedAt === null) return;
  const path = join(directory, name);
  writeFileSync(`${path}.new`, JSON.stringify({ pid, startedAt }), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Idempotent. */
export function removeEntrance(directory: string): void {
  rmSync(join(directory, name), { force: true });
}

/** `null`: the file is absent or malformed, or the process that it names has ended. */
export function readEntrance(directory: string): Entrance | null {
  const entrance = entranceIn(textOf(join(directory, name)));
  return entrance !== null && startTimeOf(entrance.pid) === entrance.startedAt ? entrance : null;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

function entranceIn(text: string): Entrance | null {
  const match = /^\{"pid":(\d{1,10}),"startedAt":"(\d{1,20})"\}$/.exec(text);
  return match === null ? null : { pid: Number(match[1]), startedAt: match[2] ?? '' };
}
