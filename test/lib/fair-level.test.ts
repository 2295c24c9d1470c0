import { expect, it } from 'vitest';
import { fairLevel } from '../../src/lib/fair-level.ts';

it('takes from those that have the most, and nothing from those with less than their share', () => {
  expect(fairLevel([10, 90], 100)).toBe(Infinity);
  expect(fairLevel([10, 190], 100)).toBe(90);
  expect(fairLevel([10, 200, 300], 100)).toBe(45);
  expect(fairLevel([200, 200], 100)).toBe(50);
  expect(fairLevel([], 100)).toBe(Infinity);
});
