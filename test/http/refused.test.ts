/** What the HTTP server refuses before any route: a problem document each. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from './raw.ts';
import { openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => (world = await openWorld()));
afterAll(async () => await world[Symbol.asyncDispose]());

const host = (): string => `Host: 127.0.0.1:${world.port}`;
const bearer = (): string => `Authorization: Bearer ${world.agent}`;

it.each([
  ['an address that is not UTF-8', '/v1/sandboxes/%zz', 400],
  ['a part of the address that is too long', `/v1/sandboxes/${'x'.repeat(600)}`, 414],
  ['an address that is too long', `/v1/sandboxes/${'x/'.repeat(10_000)}`, 431],
])('%s gets a problem', async (_what, path, status) => {
  const answer = await send(world.port, [`GET ${path} HTTP/1.1`, host(), bearer()]);
  expect(answer.head.toLowerCase()).toContain('content-type: application/problem+json');
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([status, { status, code: 'invalid_argument' }]);
  expect(answer.body).not.toMatch(/zz|xxx/);
});
it('an address that is not UTF-8 is refused by another name and to another page as each request is', async () => {
  const line = 'GET /v1/sandboxes/%zz HTTP/1.1';
  expect((await send(world.port, [line, 'Host: evil.com'])).status).toBe(421);
  expect((await send(world.port, [line, host(), 'Origin: https://evil.com'])).status).toBe(403);
});
it('a body that is no JSON gets a problem', async () => {
  const headers = { 'content-type': 'application/json' };
  const answer = await world.ask('/v1/sandboxes', { body: '{"taskId":', headers });
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  expect(answer.status).toBe(422);
});
it('a body that breaks off is no failure of the service', async () => {
  const lines = ['POST /v1/sandboxes HTTP/1.1', host(), bearer(), 'Content-Type: application/json'];
  const socket = connect(world.port, '127.0.0.1');
  await once(socket, 'connect');
  const id = 'broke-off-1';
  socket.write([...lines, 'Content-Length: 400', `X-Request-Id: ${id}`, '', '{"taskId":'].join('\r\n'));
  await setTimeout(100);
  socket.destroy();
  const line = (): string =>
    world
      .logged()
      .split('\n')
      .find((each) => each.includes(id)) ?? '';
  await expect.poll(line).toContain('"status":400');
  expect(world.logged()).not.toContain('request failed');
});
