/** Ids of execs that this client chooses: by them a request that is sent twice runs once. */
import { CaissonError } from '../../errors.ts';

export function newExecId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `exec_${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

const form = /^exec_[A-Za-z0-9_-]{1,64}$/;

/** Checks that an id is safe as a part of a path. Throws `invalid_argument`. */
export function checkedExecId(id: unknown): string {
  if (typeof id === 'string' && form.test(id)) return id;
  throw new CaissonError('invalid_argument', 'the id of an exec is exec_ and 1 to 64 of [A-Za-z0-9_-]');
}
