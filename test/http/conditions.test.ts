/** Files under conditions, and bodies that are not what they seem to be: nothing is stored that was not meant. */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
  await world.ask('/v1/sandboxes', { body: { task: 'build' } });
});
afterAll(async () => await world[Symbol.asyncDispose]());
beforeEach(() => {
  writeFileSync(place('there'), 'hello');
  rmSync(place('absent'), { force: true });
});

const place = (name: string): string => join(world.root, name);
const file = (name: string): string => `/v1/sandboxes/build/files?path=${encodeURIComponent(place(name))}`;
const tagOf = (text: string | Buffer): string => `"${createHash('sha256').update(text).digest('hex')}"`;
const bytes = { 'content-type': 'application/octet-stream' };
type Headers = Readonly<Record<string, string>>;
const put = async (name: string, headers: Headers, body: string | Uint8Array = 'new') =>
  await world.ask(file(name), { method: 'PUT', body, headers: { ...bytes, ...headers } });
const get = async (name: string, headers: Headers = {}) => await world.ask(file(name), { headers });
const [hello, other] = [tagOf('hello'), tagOf('other')];

describe('PUT', () => {
  it.each([
    ['there', { 'if-none-match': '*' }],
    ['there', { 'if-match': other }],
    ['there', { 'if-match': '"00"' }],
    ['there', { 'if-match': `W/${hello}` }],
    ['there', { 'if-match': `${other}, "x"` }],
    ['there', { 'if-none-match': `${other}, ${hello}` }],
    ['absent', { 'if-match': '*' }],
    ['absent', { 'if-match': hello }],
  ])('over %s with %j is 412, and changes nothing', async (name, headers: Headers) => {
    const answer = await put(name, headers);
    expect([answer.status, await answer.json()]).toMatchObject([412, { status: 412, code: 'conflict' }]);
    expect((await get(name)).status).toBe(name === 'there' ? 200 : 404);
    expect(readFileSync(place('there'), 'utf8')).toBe('hello');
  });
  it.each([
    ['there', { 'if-match': '*' }],
    ['there', { 'if-match': hello }],
    ['there', { 'if-match': `${other}, ${hello}` }],
    ['there', { 'if-none-match': other }],
    ['absent', { 'if-none-match': '*' }],
    ['absent', { 'if-none-match': hello }],
  ])('over %s with %j writes, and answers the tag of what it wrote', async (name, headers: Headers) => {
    const answer = await put(name, headers);
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, tagOf('new')]);
    expect(readFileSync(place(name), 'utf8')).toBe('new');
  });
  it('of several tags looks at a large file too', async () => {
    const large = Buffer.alloc(5 * 1024 ** 2, 'x');
    writeFileSync(place('large'), large);
    expect((await put('large', { 'if-match': `"x", ${other}` })).status).toBe(412);
    expect((await put('large', { 'if-match': `"x", ${tagOf(large)}` })).status).toBe(200);
  });
  it('under a date is 428 with what to send instead', async () => {
    const answer = await put('there', { 'if-unmodified-since': new Date().toUTCString() });
    expect([answer.status, await answer.text()]).toEqual([428, expect.stringContaining('send If-Match')]);
  });
  it('of a part is 400, and the file stays whole', async () => {
    expect((await put('there', { 'content-range': 'bytes 0-1/5' }, 'xx')).status).toBe(400);
    expect(readFileSync(place('there'), 'utf8')).toBe('hello');
  });
  it('of a compressed body is 415, and the file stays', async () => {
    const answer = await put('there', { 'content-encoding': 'gzip' }, gzipSync('new'));
    expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    expect(readFileSync(place('there'), 'utf8')).toBe('hello');
  });
  it('without a type is 415, which names the type', async () => {
    const answer = await world.ask(file('there'), { method: 'PUT', body: new Uint8Array([1]) });
    expect([answer.status, await answer.text()]).toEqual([415, expect.stringContaining('application/octet-stream')]);
  });
});

describe('GET', () => {
  it('has the tag, and is 304 for a client that has the file', async () => {
    const whole = await get('there');
    expect([whole.status, whole.headers.get('etag'), await whole.text()]).toEqual([200, hello, 'hello']);
    expect([whole.headers.get('cache-control'), whole.headers.get('x-content-type-options')]).toEqual([
      'no-store',
      'nosniff',
    ]);
    for (const tags of [hello, `W/${hello}`, `${other}, ${hello}`, '*']) {
      const answer = await get('there', { 'if-none-match': tags });
      expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([304, hello, '']);
    }
    expect((await get('there', { 'if-none-match': other })).status).toBe(200);
    const held = (await world.api.installation.budgets()).find(({ name }) => name === 'file_bytes');
    expect(held?.used).toBe(0);
  });
  it('of another file than the client wants is 412', async () => {
    expect((await get('there', { 'if-match': hello })).status).toBe(200);
    expect((await get('there', { 'if-match': other })).status).toBe(412);
  });
  it('of a file beyond 4 MiB has no tag, and no condition on one', async () => {
    writeFileSync(place('large'), Buffer.alloc(5 * 1024 ** 2, 'x'));
    const answer = await get('large', { 'if-none-match': hello });
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, null]);
    await answer.body?.cancel();
    expect((await get('large', { 'if-match': hello })).status).toBe(412);
  });
});

it.each(['DELETE', 'PATCH'])('%s takes no condition, and does nothing under one', async (method) => {
  const body = method === 'PATCH' ? { path: place('there'), edits: [{ find: 'hello', replace: 'bye' }] } : undefined;
  const path = method === 'PATCH' ? '/v1/sandboxes/build/files' : file('there');
  const answer = await world.ask(path, { method, body, headers: { 'if-match': hello } });
  expect([answer.status, await answer.json()]).toMatchObject([412, { code: 'not_supported' }]);
  expect(readFileSync(place('there'), 'utf8')).toBe('hello');
});

it('a body of JSON in a coding is 415, before it is read', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'br' };
  expect((await world.ask('/v1/sandboxes', { body: '{"task":"x"}', headers })).status).toBe(415);
});
