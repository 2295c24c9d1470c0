import { isCode, toCaissonError } from '../../src/errors.ts';

/** What the hosts have told that are there. Throws when none is, and anything else that is wrong with one. */
export function reached<T>(asked: readonly PromiseSettledResult<T>[]): T[] {
  const told = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failures = asked.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
  const failure =
    failures.find((each) => !isCode(each, 'unavailable')) ?? (told.length === 0 ? failures[0] : undefined);
  if (failure !== undefined) throw toCaissonError(failure);
  return told;
}
