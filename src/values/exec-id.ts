import { CaissonError } from '../errors.ts';
import { execKeyForm } from './owner.ts';

const pattern = new RegExp(`^${execKeyForm}$`);

/** Throws `invalid_argument` for what is not an id of an exec, with its owner or without. */
export function checkExecId(execId: string): string {
  if (pattern.test(execId)) return execId;
  throw new CaissonError('invalid_argument', 'an exec id is "exec_" and 1 to 64 of A-Z, a-z, 0-9, "_" and "-"', {
    remedy: 'correct the request; nothing was started',
  });
}

/** The id as a client names it, without an owner. */
export function checkClientExecId(execId: string): string {
  return checkExecId(execId.includes('.') ? '' : execId);
}
