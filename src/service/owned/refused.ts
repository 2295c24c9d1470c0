/** Verbs that concern the whole installation, and files of its host. */
import { CaissonError } from '../../errors.ts';

/** For verbs that answer at once. */
export function refuse(): never {
  throw new CaissonError('permission_denied', 'this is for the operator of the service alone', {
    remedy: 'ask the operator',
  });
}

// oxlint-disable-next-line require-await -- rejects, as the verbs that it stands for do
export async function refused(): Promise<never> {
  return refuse();
}
