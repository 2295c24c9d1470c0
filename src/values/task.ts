/** Names of tasks. The grammar is the strictest of what labels, container names and directories allow. */
import { CaissonError } from '../errors.ts';
import { ownerOf, taskIn, taskKeyOf } from './owner.ts';

const grammar = /^[a-z0-9][a-z0-9_-]{0,62}$/;
/** Ids of sandboxes: a task named so would stand before the sandbox wherever either is taken. */
const sandboxId = /^sbx_[a-z0-9]{16}$/;

/** Tasks whose names start so were named by us; a `tasks` pattern in the configuration may match them. */
export const ephemeralPrefix = 'eph-';

export function isTaskId(text: string): boolean {
  return grammar.test(text) && !sandboxId.test(text);
}

/** A task id, or that of another owner than the operator as core knows it. */
export function isTaskKey(text: string): boolean {
  return isTaskId(taskIn(text)) && taskKeyOf(ownerOf(text), taskIn(text)) === text;
}

export const isSandboxId = (text: string): boolean => sandboxId.test(text);

/** Throws `invalid_argument` for what is neither. */
export function checkTaskKey(key: unknown): string {
  return typeof key === 'string' && isTaskKey(key) ? key : checkTaskId(key);
}

export const isEphemeral = (taskKey: string): boolean => taskIn(taskKey).startsWith(ephemeralPrefix);

/** Throws `invalid_argument` for what is not a task id, also for a value of another type than string. */
export function checkTaskId(taskId: unknown): string {
  if (typeof taskId === 'string' && isTaskId(taskId)) return taskId;
  throw taskIdError(taskId);
}

export function taskIdError(taskId: unknown): CaissonError {
  const shown = typeof taskId === 'string' ? JSON.stringify(taskId.slice(0, 64)) : `a ${typeof taskId}`;
  const ofSandbox = typeof taskId === 'string' && sandboxId.test(taskId);
  return new CaissonError(
    'invalid_argument',
    `${shown} is ${ofSandbox ? 'the id of a sandbox, not of a task' : 'not a task id'}`,
    {
      remedy: ofSandbox
        ? '`caisson exec` takes a sandbox that is there by its id; `caisson ls` shows the tasks'
        : 'use 1 to 63 of a-z, 0-9, _ and -, starting with a letter or digit',
      details: { taskId: typeof taskId === 'string' ? taskId.slice(0, 64) : null },
    },
  );
}
