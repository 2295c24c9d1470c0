import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Tokens } from '../../src/access/tokens/tokens.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import { facts, world } from './world.ts';

async function tokens() {
  const here = await world();
  const { store } = await openStore(join(here.home, 'caisson.db'));
  const room = new Tokens({ store, audit: here.audit, requestsPerMinute: () => undefined });
  return { ...here, store, room };
}

it('a token has 256 bits, is shown once, and only its SHA-256 is on disk (API-03)', async () => {
  const { room, store, home } = await tokens();
  const made = await room.create({ name: 'agent', scopes: ['run', 'read'] }, 'me');
  expect(made.token).toMatch(/^caisson_[A-Za-z0-9_-]{43}$/);
  expect(made.id).toMatch(/^tok_[a-z0-9]{16}$/);
  const { token, ...view } = made;
  expect(await room.list()).toEqual([view]);
  expect((await store.tokens.list({ limit: 100 }))[0]?.digest).toBe(hash('sha256', token));
  await store.close();
  expect(readFileSync(join(home, 'caisson.db'), 'latin1')).not.toContain(token.slice(8));
});

it('a token is recognized until it is removed, by every process', async () => {
  const { room, another, store } = await tokens();
  const made = await room.create({ name: 'agent', scopes: ['approve'] }, 'me');
  expect(await room.authenticate(made.token)).toMatchObject({ id: made.id, owner: 'operator', scopes: ['approve'] });
  await another();
  await room.remove(made.id, 'me');
  expect(await room.authenticate(made.token)).toBeNull();
  await expect(room.remove(made.id, 'me')).rejects.toMatchObject({ code: 'not_found' });
  await store.close();
});

it.each([
  ['none', ''],
  ['one that was cut', 'CUT'],
  ['one with a character changed', 'CHANGED'],
  ['one with a blank in front', ' TOKEN'],
  ['its prefix alone', 'caisson_'],
  ['a megabyte', `caisson_${'a'.repeat(1_000_000)}`],
])('%s is not a token', async (_what, text) => {
  const { room, store } = await tokens();
  const { token } = await room.create({ name: 'agent', scopes: ['run'] }, 'me');
  const last = token.at(-2) === 'A' ? 'B' : 'A';
  const wrong = text
    .replace('CUT', token.slice(0, -1))
    .replace('CHANGED', token.slice(0, -2) + last + token.slice(-1))
    .replace('TOKEN', token);
  expect(await room.authenticate(wrong)).toBeNull();
  await store.close();
});

it('a token ends with its lifetime', async () => {
  const { room, store } = await tokens();
  const { token, expiresAt } = await room.create({ name: 'agent', scopes: ['run'], lifetimeMs: 1000 }, 'me');
  expect(expiresAt).not.toBeNull();
  const late = new Tokens({
    store: {
      tokens: store.tokens,
      // Half a second more, for a step of the machine's clock in between.
      steadyNow: () => store.steadyNow() + 1500,
    },
    audit: { record: () => Promise.resolve() },
    requestsPerMinute: () => undefined,
  });
  expect(await room.authenticate(token)).not.toBeNull();
  expect(await late.authenticate(token)).toBeNull();
  await store.close();
});

it.each([
  ['no scope', { name: 'a', scopes: [] }],
  ['an unknown scope', { name: 'a', scopes: ['root' as 'run'] }],
  ['no name', { name: '', scopes: ['run' as const] }],
  ['a name with a control character', { name: 'a\u001b', scopes: ['run' as const] }],
  ['a lifetime of nothing', { name: 'a', scopes: ['run' as const], lifetimeMs: 0 }],
])('a token with %s is refused, and nothing is kept', async (_what, input) => {
  const { room, store } = await tokens();
  await expect(room.create(input, 'me')).rejects.toMatchObject({ code: 'invalid_argument' });
  expect(await room.list()).toEqual([]);
  await store.close();
});

it('making and removing a token is in the audit, without the token', async () => {
  const { room, store, audit } = await tokens();
  const { id, token } = await room.create({ name: 'agent', scopes: ['run'] }, 'anna');
  await room.remove(id, 'bob');
  const said = await facts(audit);
  expect(said).toMatchObject([
    { what: 'token-created', token: id, by: 'anna', scopes: ['run'] },
    { what: 'token-removed', token: id, by: 'bob' },
  ]);
  expect(JSON.stringify(said)).not.toContain(token);
  await store.close();
});

it('a token has the owner that it was made for, the operator where none was named, and admin is the operator’s', async () => {
  const { room, store } = await tokens();
  const made = await room.create({ name: 'agent', scopes: ['run'], owner: 'alice' }, 'me');
  expect(await room.authenticate(made.token)).toMatchObject({ owner: 'alice', scopes: ['run'] });
  expect(await room.create({ name: 'agent', scopes: ['run'] }, 'me')).toMatchObject({ owner: 'operator' });
  for (const wrong of [{ owner: 'Alice' }, { owner: 'a.b' }, { owner: 'alice', scopes: ['admin'] as const }])
    await expect(room.create({ name: 'agent', scopes: ['run'], ...wrong }, 'me')).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  // Both may be of the same millisecond.
  expect((await room.list()).map(({ owner }) => owner).toSorted()).toEqual(['alice', 'operator']);
  await store.close();
});
