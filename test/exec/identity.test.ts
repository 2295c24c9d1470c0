import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { identityOf } from '../../src/exec/identity.ts';

const words = ['make', 'test'];

it('a request for another user is another request', () => {
  const identities = [undefined, 'root', 'app', 'app:users'].map((user) =>
    identityOf({ taskId: 'build', user, words }),
  );
  expect(new Set(identities).size).toBe(4);
  expect(identityOf({ taskId: 'build', user: 'app', words })).toBe(identities[2]);
});

it('a request without a user has the identity under which stores of earlier versions know it', () => {
  const asked = JSON.stringify(['build', null, null, ...words]);
  expect(identityOf({ taskId: 'build', words })).toBe(createHash('sha256').update(asked).digest('base64url'));
});
