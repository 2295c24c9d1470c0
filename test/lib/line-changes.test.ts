/** Differences between lists of lines. */
import { expect, it } from 'vitest';
import { type LineChange, lineChanges } from '../../src/lib/line-changes.ts';

/** What `before` becomes by the changes, taking kept lines from it alone. */
function applied(
  before: readonly string[],
  after: readonly string[],
  changes: readonly LineChange[],
): readonly string[] {
  let at = 0;
  const parts = changes.map(({ before: [from, to], after: fresh }) => {
    const part = [...before.slice(at, from), ...after.slice(...fresh)];
    at = to;
    return part;
  });
  return [...parts.flat(), ...before.slice(at)];
}

/** A generator of its own, so that a failure repeats. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

it('the changes make the one list of the other, whatever the two are', () => {
  const random = numbers(7);
  for (let round = 0; round < 2000; round += 1) {
    const list = () => Array.from({ length: random(9) }, () => 'abc'[random(3)] ?? '');
    const [before, after] = [list(), list()];
    const changes = lineChanges(before, after);
    expect(applied(before, after, changes)).toEqual(after);
    expect(changes.every(({ before: [a, b], after: [c, d] }) => b > a || d > c)).toBe(true);
  }
});

it('lines that stay between two changes are in neither', () => {
  expect(lineChanges(['a', 'b', 'c', 'd', 'e'], ['a', 'B', 'c', 'd', 'E', 'f'])).toEqual([
    { before: [1, 2], after: [1, 2] },
    { before: [4, 5], after: [4, 6] },
  ]);
  expect(lineChanges(['a', 'b'], ['a', 'b'])).toEqual([]);
});

it('two long lists without a common end are one change, in a moment', () => {
  const list = (mark: string) => Array.from({ length: 100_000 }, (_, at) => `${mark}${at}`);
  const begun = performance.now();
  expect(lineChanges(['same', ...list('a')], ['same', ...list('b')])).toEqual([
    { before: [1, 100_001], after: [1, 100_001] },
  ]);
  expect(performance.now() - begun).toBeLessThan(5_000);
});
