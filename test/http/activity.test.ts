/** When a service has nothing to do. */
import { request } from 'node:http';
import { expect, it } from 'vitest';
import { readServiceRecord } from '../../src/lib/service-record.ts';
import { askSocket } from './unix.ts';
import { openSocket } from './raw.ts';
import { openWorld, type World } from './world.ts';

const state = async ({ api }: World): Promise<Readonly<Record<string, unknown>>> => {
  const { socket, token } = readServiceRecord(api.config.home) ?? expect.fail('there is no record');
  return (await askSocket(socket, '/service', { token })).body;
};

const isIdle = async (world: World, withinMs: number): Promise<boolean> =>
  await Promise.race([
    world.serving.idle.then(() => true),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), withinMs)),
  ]);

it('what it has to do is said on the socket of the state directory, to its tokens with the scope read', async () => {
  await using world = await openWorld();
  const { socket, token } = readServiceRecord(world.api.config.home) ?? expect.fail('there is no record');
  expect(await state(world)).toEqual({
    execs: 0,
    streams: 0,
    idleSince: expect.stringMatching(/Z$/),
    flags: {},
    pending: { holds: [], loosens: [], reload: [], restart: [], problem: null },
  });
  await world.ask('/v1/sandboxes', { body: { taskId: 'build' } });
  const stream = await world.ask('/v1/sandboxes/build/execs', { body: { command: ['sleep', '60'] } });
  await expect.poll(async () => await state(world)).toMatchObject({ execs: 1, streams: 1, idleSince: null });
  await stream.body?.cancel();
  await expect.poll(async () => await state(world)).toMatchObject({ execs: 1, streams: 0, idleSince: null });
  expect((await askSocket(socket, '/service')).status).toBe(401);
  expect((await askSocket(socket, '/service', { token: world.person })).status).toBe(403);
  expect((await world.ask('/service', { token })).status).toBe(401);
  expect((await world.ask('/service')).status).toBe(404);
});

it('a service is idle after the time without a request, and looks at its state are none', async () => {
  await using world = await openWorld({ idleMs: 400 });
  const { socket } = readServiceRecord(world.api.config.home) ?? expect.fail('there is no record');
  const looking = setInterval(() => {
    void askSocket(socket, '/readyz');
    void askSocket(socket, '/healthz');
    void state(world);
  }, 50);
  expect(await isIdle(world, 5000)).toBe(true);
  clearInterval(looking);
});

it('requests put it off', async () => {
  await using world = await openWorld({ idleMs: 600 });
  for (let count = 0; count < 8; count++) {
    await (await world.ask('/v1/sandboxes')).text();
    expect(await isIdle(world, 150)).toBe(false);
  }
  expect(await isIdle(world, 5000)).toBe(true);
});

it('a command that runs is something to do, also when its client has left', async () => {
  await using world = await openWorld({ idleMs: 300 });
  await world.ask('/v1/sandboxes', { body: { taskId: 'build' } });
  const stream = await world.ask('/v1/sandboxes/build/execs', { body: { command: ['sleep', '1.2'] } });
  await stream.body?.cancel();
  expect(await isIdle(world, 700)).toBe(false);
  expect(await isIdle(world, 5000)).toBe(true);
});

it('a stream of events is something to do, and so is a socket', async () => {
  await using world = await openWorld({ idleMs: 300 });
  const stream = await world.ask('/v1/events');
  expect(await isIdle(world, 800)).toBe(false);
  await world.ask('/v1/sandboxes', { body: { taskId: 'build' } });
  const body = { command: ['cat'], stdin: true, execId: 'exec_cat' };
  const started = await world.ask('/v1/sandboxes/build/execs', { body });
  const path = '/v1/sandboxes/build/execs/exec_cat/stdin';
  const opened = await openSocket(world.url + path, { token: world.agent });
  await started.body?.cancel();
  await stream.body?.cancel();
  await expect.poll(async () => await state(world)).toMatchObject({ execs: 1, streams: 1 });
  expect(await isIdle(world, 800)).toBe(false);
  opened.socket.send(JSON.stringify({ type: 'end' }));
  await opened.closed;
  expect(await isIdle(world, 5000)).toBe(true);
});

it('a connection that is kept open without a request is nothing to do', async () => {
  await using world = await openWorld({ idleMs: 300 });
  const { socket: socketPath } = readServiceRecord(world.api.config.home) ?? expect.fail('there is no record');
  const kept = request({ socketPath, path: '/v1/sandboxes', headers: { connection: 'keep-alive' } });
  kept.once('response', (response) => response.resume());
  kept.end();
  expect(await isIdle(world, 5000)).toBe(true);
});
