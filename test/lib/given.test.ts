import { expect, it } from 'vitest';
import { given } from '../../src/lib/given.ts';

it('leaves out what is undefined, and nothing else', () => {
  const values = given({ a: undefined, b: null, c: 0, d: '', e: false });
  expect(Object.keys(values)).toEqual(['b', 'c', 'd', 'e']);
  expect(values).toEqual({ b: null, c: 0, d: '', e: false });
});
