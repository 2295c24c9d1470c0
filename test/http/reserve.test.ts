/** What must always work, while one owner has all that it may of every budget. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { budgetNames } from '../../src/budget/kinds.ts';
import { openWorld, type World } from './world.ts';

/** On a busy machine. Each of the requests takes some milliseconds. */
const boundMs = 5000;

let world: World;
const tokens = { alice: '', mallory: '' };
beforeAll(async () => {
  const owners = '{mallory: {backends: [local]}, alice: {backends: [local]}}';
  world = await openWorld({ config: `owners: ${owners}\n` });
  for (const owner of ['alice', 'mallory'] as const) {
    const { token } = await world.api.tokens.create({ name: owner, owner, scopes: ['read', 'run'] }, 'test');
    tokens[owner] = token;
    await world.ask('/v1/sandboxes', { token, body: { taskId: 'build' } });
  }
  for (const name of budgetNames) await takeAll(name);
});
afterAll(async () => await world[Symbol.asyncDispose]());

/** All that one owner may have of it, and where it is counted by address, all that this address may. */
async function takeAll(wanted: (typeof budgetNames)[number]): Promise<void> {
  const budget = world.api.installation.budget(wanted);
  const owners = wanted === 'strangers' ? ['127.0.0.1'] : ['mallory'];
  const figures = (await world.api.installation.budgets()).find(({ name }) => name === wanted);
  for (const owner of owners) {
    const held = figures?.largest?.owner === owner ? figures.largest.used : 0;
    budget.take(owner, (figures?.perOwner ?? 0) - held);
    expect(() => budget.take(owner)).toThrow(expect.objectContaining({ code: 'resource_exhausted' }));
  }
}

async function statusOf(path: string, how: Parameters<World['ask']>[1]): Promise<number> {
  const response = await world.ask(path, { ...how, signal: AbortSignal.timeout(boundMs) });
  await response.text();
  return response.status;
}

it('health, list, get, exec, stop and removal of another owner are answered', async () => {
  const token = tokens.alice;
  expect(await statusOf('/healthz', { token: null })).toBe(200);
  expect(await statusOf('/readyz', { token: null })).toBe(200);
  expect(await statusOf('/v1/sandboxes', { token })).toBe(200);
  expect(await statusOf('/v1/sandboxes/build', { token })).toBe(200);
  expect(await statusOf('/v1/sandboxes/build/execs', { token, body: { command: ['true'] } })).toBe(200);
  expect(await statusOf('/v1/execs', { token })).toBe(200);
  expect(await statusOf('/v1/sandboxes', { token, body: { taskId: 'another' } })).toBe(200);
  expect(await statusOf('/v1/sandboxes/build/stop', { token, method: 'POST' })).not.toBe(429);
  expect(await statusOf('/v1/sandboxes/build', { token, method: 'DELETE' })).toBe(204);
});

it('list, stop and removal of the same owner are answered, and what takes from a budget is refused', async () => {
  const token = tokens.mallory;
  expect(await statusOf('/v1/sandboxes', { token, body: { taskId: 'another' } })).toBe(429);
  expect(await statusOf('/v1/sandboxes', { token })).toBe(200);
  expect(await statusOf('/v1/execs', { token })).toBe(200);
  expect(await statusOf('/v1/processes', { token })).toBe(200);
  expect(await statusOf('/v1/sandboxes/build', { token })).toBe(200);
  expect(await statusOf('/v1/sandboxes/build/stop', { token, method: 'POST' })).not.toBe(429);
  expect(await statusOf('/v1/sandboxes/build', { token, method: 'DELETE' })).toBe(204);
});
