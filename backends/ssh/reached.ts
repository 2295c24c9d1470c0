import { isCode, toCaissonError } from '../../src/errors.ts';

/** The answers of the hosts that can be reached. Throws when none can, and for any other fault of one. */
export function reached<T>(asked: readonly PromiseSettledResult<T>[]): T[] {
  const answers = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failures = asked.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
  const failure =
    failures.find((each) => !isCode(each, 'unavailable')) ?? (answers.length === 0 ? failures[0] : undefined);
  if (failure !== undefined) throw toCaissonError(failure);
  return answers;
}
