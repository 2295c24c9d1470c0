import { expect, it } from 'vitest';
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
