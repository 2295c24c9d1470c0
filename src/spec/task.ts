/** Names of tasks. The grammar is the strictest of what labels, container names and directories allow. */
import { randomInt } from 'node:crypto';
import { CaissonError } from '../errors.ts';

const grammar = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Tasks whose names start so were named by us; a `tasks` pattern in the configuration may match them. */
export const ephemeralPrefix = 'eph-';

/** Throws `invalid_argument` for what is not a task id, also for a value that is no string. */
export function checkTaskId(taskId: unknown): string {
  if (typeof taskId === 'string' && grammar.test(taskId)) return taskId;
  const shown = typeof taskId === 'string' ? JSON.stringify(taskId.slice(0, 64)) : `a ${typeof taskId}`;
  throw new CaissonError('invalid_argument', `${shown} is not a task id`, {
    remedy: 'use 1 to 63 of a-z, 0-9, _ and -, starting with a letter or digit',
    details: { taskId: typeof taskId === 'string' ? taskId.slice(0, 64) : null },
  });
}

export function newTaskId(): string {
  return ephemeralPrefix + Array.from({ length: 12 }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}
