import { expect, it } from 'vitest';
import type * as errors from '../src/errors.ts';
import { CaissonError, toCaissonError } from '../src/errors.ts';

it('keeps the words of a defect out of the message, and its errno in', () => {
  const defect = toCaissonError(new TypeError("Cannot read properties of undefined (reading 'secret')"));
  expect(defect).toMatchObject({ code: 'internal', message: 'unexpected failure: TypeError' });
  expect(defect.cause).toBeInstanceOf(TypeError);
  const system = toCaissonError(Object.assign(new Error('connect ECONNRESET /path'), { code: 'ECONNRESET' }));
  expect(system.message).toBe('unexpected failure: ECONNRESET');
  const known = new CaissonError('not_found', 'no such thing');
  expect(toCaissonError(known)).toBe(known);
});

it('is an error of Caisson also where it comes from another copy of the class', async () => {
  // Another URL is another module.
  const other = '../src/errors.ts?copy';
  const copy: typeof errors = await import(other);
  expect(copy.CaissonError).not.toBe(CaissonError);
  expect(new copy.CaissonError('not_found', 'x')).toBeInstanceOf(CaissonError);
  expect(Object.assign(new Error('x'), { code: 'not_found', name: 'CaissonError' })).not.toBeInstanceOf(CaissonError);
  class Own extends CaissonError {}
  expect(new Own('not_found', 'x')).toBeInstanceOf(Own);
  expect(new copy.CaissonError('not_found', 'x')).not.toBeInstanceOf(Own);
});
