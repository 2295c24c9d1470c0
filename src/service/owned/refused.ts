/** Verbs that concern the whole installation, and files of its host. */
import { CaissonError } from '../../errors.ts';

/** For verbs that answer at once. */
export function refuse(): never {
  throw operatorOnlyError();
}

export function refused(): Promise<never> {
  return Promise.reject(operatorOnlyError());
}

function operatorOnlyError(): CaissonError {
  return new CaissonError('permission_denied', 'this is for the operator of the service alone', {
    remedy: 'ask the operator',
  });
}
