/** Names of tasks that the caller did not name. Apart from their grammar, since commands read that, and node:crypto takes long to load. */
import { randomInt } from 'node:crypto';
import { ephemeralPrefix } from './task.ts';

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

export function newTaskId(): string {
  return ephemeralPrefix + Array.from({ length: 12 }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}
