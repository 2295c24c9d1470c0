/** Differences for people: the command, where it ran, and what was wanted. */
import type { Case } from './case.ts';
import type { Compared, Comparison } from './compare.ts';

export function reportOf({ found, unsteady }: Pick<Compared, 'found' | 'unsteady'>): string {
  const wrong = found.filter(({ isAccepted }) => !isAccepted);
  return [...wrong.map(entryOf), ...unsteady.map((each) => `once, and not again: ${entryOf(each)}`)].join('\n');
}

function entryOf({ case: { id, line }, path, place, differences }: Comparison): string {
  const parts = differences.map(({ part, raw, ours }) => `    ${part}\n      raw:  ${raw}\n      ours: ${ours}`);
  return [`${id} on ${place} by ${path}: ${line}`, ...parts].join('\n');
}

/** Commands with an accepted difference that was not seen on any path. */
export function staleOf(cases: readonly Case[], found: readonly Comparison[]): readonly string[] {
  const seen = new Set(found.filter(({ isAccepted }) => isAccepted).map((each) => each.case.id));
  return cases.filter(({ id, accepted }) => accepted !== null && !seen.has(id)).map(({ id }) => id);
}
