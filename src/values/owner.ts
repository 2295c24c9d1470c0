/**
 * Owners of the service, and the keys under which core knows what is theirs: `OWNER.TASK`, `exec_OWNER.x`. Neither an owner nor
 * a task nor an exec id holds a dot, so that a key is taken apart in one way only. What belongs to the operator has no prefix,
 * as everything had before there were owners.
 */
import { CaissonError } from '../errors.ts';
import { operator } from './caller.ts';

const grammar = /^[a-z][a-z0-9-]{0,31}$/;
const keyForm = /^([a-z][a-z0-9-]{0,31})\.(.*)$/s;
const execPrefix = 'exec_';

/** The start of the pattern of an exec id in core. */
export const execKeyForm = String.raw`exec_(?:[a-z][a-z0-9-]{0,31}\.)?[A-Za-z0-9_-]{1,64}`;

/** Throws `invalid_argument`. */
export function checkOwner(name: unknown): string {
  if (typeof name === 'string' && grammar.test(name)) return name;
  throw new CaissonError('invalid_argument', 'the name of an owner has 1 to 32 of a-z, 0-9 and -, a letter first', {
    details: { owner: typeof name === 'string' ? name.slice(0, 64) : null },
  });
}

/** Whose task it is. */
export function ownerOf(taskKey: string): string {
  return keyForm.exec(taskKey)?.[1] ?? operator;
}

/** The task as its owner names it. */
export function taskIn(taskKey: string): string {
  return keyForm.exec(taskKey)?.[2] ?? taskKey;
}

export const taskKeyOf = (owner: string, taskId: string): string =>
  owner === operator ? taskId : `${owner}.${taskId}`;

/** Whose exec id it is. */
export function ownerOfExec(execKey: string): string {
  return execKey.startsWith(execPrefix) ? ownerOf(execKey.slice(execPrefix.length)) : operator;
}

/** The exec id as its owner names it. */
export function execIn(execKey: string): string {
  return execKey.startsWith(execPrefix) ? execPrefix + taskIn(execKey.slice(execPrefix.length)) : execKey;
}

export const execKeyOf = (owner: string, execId: string): string =>
  owner === operator ? execId : `${execPrefix}${owner}.${execId.slice(execPrefix.length)}`;
