/** Budgets that requests take from: one owner fills its share, and another is served. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { maxWaiting } from '../../src/budget/budget.ts';
import { kinds } from '../../src/budget/kinds.ts';
import { openWorld, type World } from './world.ts';

let world: World;
const tokens = { alice: '', mallory: '' };
beforeAll(async () => {
  world = await openWorld({
    config:
      'server: {limits: {checks: {total: 2, per_owner: 1}, watches: {total: 2, per_owner: 1}}}\n' +
      'owners: {mallory: {backends: [local]}, alice: {backends: [local]}}\n',
  });
  mkdirSync(join(world.root, 'watched'));
  for (const owner of ['alice', 'mallory'] as const) {
    const { token } = await world.api.tokens.create({ name: owner, owner, scopes: ['read', 'run'] }, 'test');
    tokens[owner] = token;
    await world.ask('/v1/sandboxes', { token, body: { taskId: 'build' } });
  }
});
afterAll(async () => await world[Symbol.asyncDispose]());

const refusal = (name: 'checks' | 'watches') => ({
  code: 'resource_exhausted',
  remediation: expect.stringContaining(kinds[name].remedy),
  details: { budget: name, owner: 'mallory' },
});

it('an owner that checks as much as it may keeps no other owner from its checks', async () => {
  const budget = world.api.installation.budget('checks');
  const share = budget.take('mallory');
  const check = (owner: 'alice' | 'mallory') =>
    world.ask('/v1/policy/check', { token: tokens[owner], body: { commands: ['ls'], backend: 'local' } });
  const waits = check('mallory');
  const figures = async () => (await world.api.installation.budgets()).find(({ name }) => name === 'checks');
  await expect.poll(figures).toMatchObject({ used: 1, waiting: 1 });
  expect((await check('alice')).status).toBe(200);
  expect(await figures()).toMatchObject({ used: 1, waiting: 1 });
  const leaving = new AbortController();
  const others = Array.from({ length: maxWaiting - 1 }, () => budget.wait('mallory', { signal: leaving.signal }));
  const left = Promise.allSettled(others);
  const refused = await check('mallory');
  expect([refused.status, await refused.json()]).toMatchObject([429, refusal('checks')]);
  leaving.abort();
  await left;
  share.free();
  expect((await waits).status).toBe(200);
});

it('an owner that watches as much as it may keeps no other owner from its watches', async () => {
  const leaving = new AbortController();
  const path = encodeURIComponent(join(world.root, 'watched'));
  const watch = (owner: 'alice' | 'mallory') =>
    world.ask(`/v1/sandboxes/build/files/watch?path=${path}&intervalMs=200`, {
      token: tokens[owner],
      signal: leaving.signal,
    });
  const first = await watch('mallory');
  const refused = await watch('mallory');
  expect([first.status, refused.status, await refused.json()]).toMatchObject([200, 429, refusal('watches')]);
  expect((await watch('alice')).status).toBe(200);
  leaving.abort();
});
