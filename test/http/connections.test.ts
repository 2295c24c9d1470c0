/** Whose connections are open: an address without a token has some, an owner has others, and none takes those of another. */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { BudgetName } from '../../src/budget/types.ts';
import { openWorld, type World } from './world.ts';

let world: World;
const tokens = { alice: '', mallory: '' };
beforeAll(async () => {
  const limits = '{strangers: {total: 20, per_owner: 3}, connections: {total: 20, per_owner: 3}}';
  const owners = '{mallory: {backends: [local]}, alice: {backends: [local]}}';
  world = await openWorld({ config: `server: {limits: ${limits}}\nowners: ${owners}\n` });
  for (const owner of ['alice', 'mallory'] as const) {
    const { token } = await world.api.tokens.create({ name: owner, owner, scopes: ['read', 'run'] }, 'test');
    tokens[owner] = token;
  }
});
afterAll(async () => await world[Symbol.asyncDispose]());

const figuresOf = async (wanted: BudgetName) =>
  (await world.api.installation.budgets()).find(({ name }) => name === wanted);

function opened(): Socket {
  const socket = connect(world.port, '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}

interface Answer {
  readonly status: number;
  readonly closes: boolean;
}

/** On a connection of its own, which stays open where the service leaves it. */
async function ask(token: string, path: string, method = 'GET'): Promise<Answer> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const headers = { authorization: `Bearer ${token}` };
  const asked = request({ port: world.port, path, method, agent, headers }).end();
  const [response] = await once(asked, 'response');
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode, closes: response.headers.connection === 'close' };
}

it('connections without a token are bounded for an address: further ones end, and one with a token is served', async () => {
  const idle = Array.from({ length: 6 }, opened);
  const ended = idle.map(async (socket) => await once(socket, 'close'));
  await expect.poll(() => figuresOf('strangers')).toMatchObject({ used: 3, refused: { owner: 3 } });
  expect(await ask(tokens.alice, '/v1/sandboxes')).toEqual({ status: 200, closes: false });
  expect((await fetch(`${world.url}/healthz`)).status).toBe(200);
  await Promise.all(ended.slice(3));
  expect(idle.map(({ closed }) => closed)).toEqual([false, false, false, true, true, true]);
});

it('connections of an owner are bounded: further ones are 429 and end, but for lists, stops and removals', async () => {
  await expect.poll(() => figuresOf('connections')).toMatchObject({ used: 0 });
  for (let count = 0; count < 3; count++)
    expect(await ask(tokens.mallory, '/v1/sandboxes')).toEqual({ status: 200, closes: false });
  expect(await figuresOf('connections')).toMatchObject({ used: 3, largest: { owner: 'mallory' } });
  expect(await ask(tokens.mallory, '/v1/events')).toEqual({ status: 429, closes: true });
  expect(await ask(tokens.mallory, '/v1/sandboxes')).toEqual({ status: 200, closes: true });
  expect(await ask(tokens.mallory, '/v1/sandboxes/absent/stop', 'POST')).toEqual({ status: 404, closes: true });
  expect(await ask(tokens.mallory, '/v1/sandboxes/absent', 'DELETE')).toEqual({ status: 404, closes: true });
  expect(await ask(tokens.alice, '/v1/sandboxes')).toEqual({ status: 200, closes: false });
});

it('gives the places of connections back when they end', async () => {
  await expect.poll(() => figuresOf('connections')).toMatchObject({ used: 0 });
  await expect.poll(async () => (await figuresOf('strangers'))?.used).toBe(0);
});
