/** Methods as RFC 9110 has them: HEAD wherever GET is, and what there is where the method is another one. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from './raw.ts';
import { openWorld, type World } from './world.ts';

const large = 5 * 1024 ** 2;
let world: World;
beforeAll(async () => {
  world = await openWorld();
  await world.ask('/v1/sandboxes', { body: { task: 'build' } });
  writeFileSync(join(world.root, 'small'), 'hello');
  writeFileSync(join(world.root, 'large'), Buffer.alloc(large, 'x'));
});
afterAll(async () => await world[Symbol.asyncDispose]());

const file = (name: string): string => `/v1/sandboxes/build/files?path=${encodeURIComponent(join(world.root, name))}`;
const head = async (path: string, token?: null) =>
  await world.ask(path, { method: 'HEAD', ...(token === undefined ? {} : { token }) });

describe('HEAD', () => {
  it.each(['/healthz', '/readyz'])('of %s needs no token, as GET', async (path) => {
    expect((await head(path, null)).status).toBe(200);
  });
  it.each(['/v1/sandboxes', '/openapi.json', '/v1/sandboxes/build', '/metrics'])(
    'of %s has the length and the type of GET, and no body',
    async (path) => {
      const [short, long] = [await head(path), await world.ask(path)];
      expect([short.status, await short.text()]).toEqual([200, '']);
      expect(short.headers.get('content-type')).toBe(long.headers.get('content-type'));
      expect(Number(short.headers.get('content-length'))).toBeGreaterThan(10);
    },
  );
  it('of what needs a token is refused without one', async () => {
    expect((await head('/v1/sandboxes', null)).status).toBe(401);
  });
  it('of a small file has its size and digest', async () => {
    const { headers, status } = await head(file('small'));
    expect([status, headers.get('content-length')]).toEqual([200, '5']);
    expect(headers.get('repr-digest')).toBe((await world.ask(file('small'))).headers.get('repr-digest'));
  });
  it('of a large file has its size, and gives back what it held in memory', async () => {
    const { headers, status } = await head(file('large'));
    expect([status, headers.get('content-length')]).toEqual([200, String(large)]);
    const held = async () =>
      (await world.api.installation.budgets()).find(({ name }) => name === 'file_bytes')?.used ?? -1;
    await expect.poll(held).toBe(0);
  });
  it('of a missing file is 404', async () => {
    expect((await head(file('missing'))).status).toBe(404);
  });
  it('of a stream of events ends at once, and what it watched is watched no more', async () => {
    const { status, headers, body } = await head('/v1/events');
    expect([status, headers.get('content-type'), body]).toEqual([200, 'application/x-ndjson; charset=utf-8', null]);
    await head(`/v1/sandboxes/build/files/watch?path=${encodeURIComponent(world.root)}`);
    const watches = async () =>
      (await world.api.installation.budgets()).find(({ name }) => name === 'watches')?.used ?? -1;
    await expect.poll(watches).toBe(0);
  });
});

type Allowed = readonly [path: string, allow: string];
const service: Allowed = ['*', 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'];
const taken: readonly Allowed[] = [
  ['/v1/sandboxes', 'GET, HEAD, OPTIONS, POST'],
  ['/v1/sandboxes/build', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
  ['/v1/sandboxes/build/files?path=/a', 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT'],
  ['/openapi.json', 'GET, HEAD, OPTIONS'],
  ['/mcp', 'DELETE, GET, OPTIONS, POST'],
];

describe('a method that a path does not take', () => {
  it.each(taken)('of %s is 405 with those that it takes', async (path, allow) => {
    const answer = await send(world.port, [`PROPFIND ${path} HTTP/1.1`, ...headers()]);
    expect([answer.status, allowIn(answer.head)]).toEqual([405, allow]);
    expect(JSON.parse(answer.body)).toMatchObject({
      status: 405,
      code: 'not_supported',
      remediation: `it takes ${allow}`,
    });
  });
  it('is 405 whatever its body is, which is not read', async () => {
    const answer = await world.ask('/v1/sandboxes/build', {
      method: 'PUT',
      body: 'a=b',
      headers: { 'content-type': 'text/plain' },
    });
    expect(answer.status).toBe(405);
  });
  it('of a path that is not there is 404, and without a token 401', async () => {
    expect((await world.ask('/v1/none', { method: 'DELETE' })).status).toBe(404);
    expect((await world.ask('/v1/sandboxes/build', { method: 'PUT', token: null, body: '' })).status).toBe(401);
  });
});

describe('OPTIONS', () => {
  it.each([...taken, service])('of %s says what it takes', async (path, allow) => {
    const { head, status } = await send(world.port, [`OPTIONS ${path} HTTP/1.1`, ...headers(), 'Connection: close']);
    expect([status, allowIn(head)]).toEqual([204, allow]);
    expect(head.toLowerCase()).not.toContain('access-control');
  });
  it('needs a token, and a path that is there', async () => {
    expect((await world.ask('/v1/sandboxes', { method: 'OPTIONS', token: null })).status).toBe(401);
    expect((await world.ask('/v1/none', { method: 'OPTIONS' })).status).toBe(404);
  });
});

it('GET of a socket without an upgrade is 426', async () => {
  const answer = await send(world.port, ['GET /v1/sandboxes/build/pty HTTP/1.1', ...headers()]);
  expect([answer.status, /^upgrade: (.*)$/im.exec(answer.head)?.[1]]).toEqual([426, 'websocket']);
});

const headers = (): readonly string[] => [`Host: 127.0.0.1:${world.port}`, `Authorization: Bearer ${world.agent}`];
const allowIn = (head: string): string | undefined => /^allow: (.*)$/im.exec(head)?.[1];
