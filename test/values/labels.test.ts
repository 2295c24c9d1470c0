/** Labels as callers give them. */
import { expect, it } from 'vitest';
import { checkLabel, checkLabels, hasLabels, mergedLabels, maxLabels } from '../../src/values/labels.ts';

const invalid: unknown = expect.objectContaining({ code: 'invalid_argument' });

it.each([
  ['team', 'search'],
  ['a', ''],
  ['Team_1.x', 'v1.2-rc_3'],
  ['example.com/team', 'x'],
  ['a.b-c.example/team', '0'],
  ['k'.repeat(63), 'v'.repeat(63)],
])('%j=%j is a label', (key, value) => {
  expect(checkLabel(key, value)).toEqual({ key, value });
});

it.each([
  ['', 'x'],
  ['-team', 'x'],
  ['team-', 'x'],
  ['te am', 'x'],
  ['team\n', 'x'],
  ['Example.com/team', 'x'],
  ['/team', 'x'],
  ['a/b/c', 'x'],
  ['k'.repeat(64), 'x'],
  [`${'a.'.repeat(127)}a/team`, 'x'],
  ['__proto__', 'x'],
  ['caisson.task', 'x'],
  ['caisson.dev/task', 'x'],
  ['team', '-x'],
  ['team', 'x y'],
  ['team', 'v'.repeat(64)],
  ['team', 'x\n'],
  ['team', 7],
  ['team', null],
])('%j=%j is refused', (key, value) => {
  expect(() => checkLabel(key, value)).toThrow(invalid);
});

it.each([null, 'team=a', ['team'], 7, { team: 7 }, { team: {} }])('%j are no labels', (labels) => {
  expect(() => checkLabels(labels)).toThrow(invalid);
});

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v'] as const));

it('a sandbox has 64 labels at most, also after a change', () => {
  expect(Object.keys(checkLabels(many(maxLabels)))).toHaveLength(64);
  expect(() => checkLabels(many(maxLabels + 1))).toThrow(invalid);
  expect(() => mergedLabels(many(maxLabels), { more: 'x' })).toThrow(invalid);
  expect(Object.keys(mergedLabels(many(maxLabels), { more: 'x', k0: null }))).toHaveLength(64);
});

it('a change sets, replaces and removes, and leaves the rest', () => {
  const merged = mergedLabels({ a: '1', b: '2', c: '3' }, { b: 'x', c: null, d: '4', absent: null });
  expect(merged).toEqual({ a: '1', b: 'x', d: '4' });
});

it('labels are there when all that are wanted have their values', () => {
  const labels = { a: '1', b: '' };
  expect(hasLabels(labels, {})).toBe(true);
  expect(hasLabels(labels, { a: '1', b: '' })).toBe(true);
  expect(hasLabels(labels, { a: '2' })).toBe(false);
  expect(hasLabels(labels, { c: '' })).toBe(false);
  expect(hasLabels(labels, { toString: 'x' })).toBe(false);
});
