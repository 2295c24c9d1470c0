/** The page of limits over HTTP, in the form that the client accepts; lists by label; times of owners. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({
    config: 'owners: {alice: {backends: [local]}}\ntasks: {"*": {lifetime_seconds: 60, max_lifetime_seconds: 3600}}\n',
  });
  for (const [taskId, team] of [
    ['one', 'a'],
    ['two', 'b'],
  ])
    await world.ask('/v1/sandboxes', { body: { taskId, labels: { team, kind: 'x' } } });
});
afterAll(async () => await world[Symbol.asyncDispose]());

const at = '/v1/sandboxes/one/limits';
const typeOf = (response: Response) => response.headers.get('content-type');

it.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['text/plain', 'text/plain'],
  ['text/markdown, application/json', 'text/markdown'],
  ['text/*', 'text/markdown'],
])('Accept: %s gives %s', async (accept, type) => {
  const response = await world.ask(at, { headers: accept === undefined ? {} : { accept } });
  expect([response.status, typeOf(response)?.split(';')[0]]).toEqual([200, type]);
  const text = await response.text();
  if (type === 'application/json') expect(JSON.parse(text)).toMatchObject({ taskId: 'one', backend: 'local' });
  else expect(text).toMatch(/^# Limits of the sandbox of one\n[^]*NOT enforced/);
});

it('no other route answers with a text', async () => {
  const response = await world.ask('/v1/sandboxes/one', { headers: { accept: 'text/markdown' } });
  expect(response.status).toBe(406);
});

it.each([
  ['label=team=a', ['one']],
  ['label=kind=x', ['one', 'two']],
  ['label=kind=x&label=team=b', ['two']],
  ['label=team=a&label=team=a', ['one']],
  ['label=team=', []],
  ['label=team=c', []],
])('the list by %s', async (query, tasks) => {
  const { items } = Object(await (await world.ask(`/v1/sandboxes?${query}`)).json());
  expect(items.map(({ taskId }: { taskId: string }) => taskId)).toEqual(tasks);
});

it('a label without a value is refused', async () => {
  expect((await world.ask('/v1/sandboxes?label=team')).status).toBe(422);
});

it.each([
  { labels: { 'caisson.task': 'x' } },
  { labels: { 'a b': 'x' } },
  { labels: { a: 7 } },
  { idleTimeoutMs: 0 },
  { lifetimeMs: -1 },
  { image: 'debian:12' },
])('a change to %j is refused, and nothing is changed', async (body) => {
  const before = Object(await (await world.ask('/v1/sandboxes/one')).json());
  expect((await world.ask('/v1/sandboxes/one', { method: 'PATCH', body })).status).toBe(422);
  const after = Object(await (await world.ask('/v1/sandboxes/one')).json());
  expect([after.labels, after.idleTimeoutMs, after.lifetimeMs]).toEqual([
    before.labels,
    before.idleTimeoutMs,
    before.lifetimeMs,
  ]);
});

it('another owner has no longer times than the configuration gives, at creation and later; the operator has', async () => {
  const { token } = await world.api.tokens.create({ name: 'a', scopes: ['run', 'read'], owner: 'alice' }, 'test');
  const create = (body: object) => world.ask('/v1/sandboxes', { token, body: { taskId: 'mine', ...body } });
  for (const body of [{ idleTimeoutMs: 60_001 }, { idleTimeoutMs: null }, { lifetimeMs: 3_600_001 }])
    expect((await create(body)).status).toBe(403);
  expect((await world.ask('/v1/sandboxes/mine', { token })).status).toBe(404);
  expect((await create({ idleTimeoutMs: 60_000, lifetimeMs: 1_000_000 })).status).toBe(200);
  const patch = (body: object, how = {}) => world.ask('/v1/sandboxes/mine', { method: 'PATCH', token, body, ...how });
  expect((await patch({ lifetimeMs: null })).status).toBe(403);
  expect((await create({ lifetimeMs: null })).status).toBe(403);
  expect(await (await patch({ lifetimeMs: 2_000_000, labels: { a: 'b' } })).json()).toMatchObject({
    lifetimeMs: 2_000_000,
    idleTimeoutMs: 60_000,
    labels: { a: 'b' },
    taskId: 'mine',
  });
  const operator = await world.ask('/v1/sandboxes/one', { method: 'PATCH', body: { lifetimeMs: null } });
  expect(await operator.json()).toMatchObject({ lifetimeMs: null });
});
