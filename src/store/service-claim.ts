/** Which service of a state directory has its socket. What lies there under the claim was left by a service that is gone. */
import { join } from 'node:path';
import { type Lock, tryLockExclusive } from './file-lock.ts';

/** Processes that only look hold it for a moment. */
const waitMs = 500;

const fileOf = (home: string): string => join(home, 'service.lock');

/** `null`: another service has it. */
export function claim(home: string): Lock | null {
  return tryLockExclusive(fileOf(home), waitMs);
}

/** Whether a service has it. */
export function isClaimed(home: string): boolean {
  const free = tryLockExclusive(fileOf(home), 0);
  free?.release();
  return free === null;
}
