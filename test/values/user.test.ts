import { describe, expect, it } from 'vitest';
import { checkUser } from '../../src/values/user.ts';

describe('a user of a sandbox', () => {
  it.each([
    'root',
    '0',
    'app',
    '_apt',
    'www-data',
    'a.b',
    '1000',
    'app:users',
    '1000:1000',
    '1000:users',
    '2147483647',
  ])('may be %s', (user) => expect(checkUser(user)).toBe(user));

  it.each<unknown>([
    ...['', ':', 'app:', ':users', 'a:b:c', '1:2:3', '-1', '1.5', '2147483648', '99999999999', '1000:2147483648'],
    ...['a b', 'a/b', 'app\n', 'app\0', '-u', 'é', 'a'.repeat(33), '$(id)', null, 1000, {}],
  ])('is not %j', (user) => {
    expect(() => checkUser(user)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', remedy: expect.stringContaining('1000:1000') }),
    );
  });
});
