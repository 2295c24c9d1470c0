/** Methods as RFC 9110 has them: HEAD wherever GET is. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
