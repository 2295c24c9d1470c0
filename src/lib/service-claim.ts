/**
 * Which service of a state directory has its socket. An empty database carries nothing but SQLite's file locks: the kernel drops
 * them when the process ends, however it ends, so that what lies there under the claim was left by a service that is gone.
 */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface Claim {
  release(): void;
}

/** Those who only look hold it for a moment. */
const patienceMs = 500;

/** `null`: another service has it. */
export function claim(home: string): Claim | null {
  return take(home, patienceMs);
}

/** Whether a service has it. */
export function isClaimed(home: string): boolean {
  const free = take(home, 0);
  free?.release();
  return free === null;
}

function take(home: string, timeout: number): Claim | null {
  const path = join(home, 'service.lock');
  closeSync(openSync(path, 'a', 0o600)); // SQLite would create it by the umask
  const db = new DatabaseSync(path, { timeout });
  try {
    // Nothing is ever written to it: no file of a journal.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === sqliteBusy) return null;
    throw error;
  }
  return { release: () => db.close() };
}

/** Result codes (https://www.sqlite.org/rescode.html): the extended ones have it in their lowest byte. */
const sqliteBusy = 5;
