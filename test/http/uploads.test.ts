/** Uploads take no more of the disk than their owner may, and nothing for a place that is not there. */
import { existsSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWorld, type World } from './world.ts';

const mebibyte = 1024 ** 2;
let world: World;
beforeAll(async () => {
  const limits = `{staged_bytes: {total: ${4 * mebibyte}, per_owner: ${mebibyte}}}`;
  const owners = '{mallory: {backends: [local]}, alice: {backends: [local]}}';
  world = await openWorld({ config: `server: {limits: ${limits}}\nowners: ${owners}\n` });
});
afterAll(async () => await world[Symbol.asyncDispose]());

const tokenOf = async (owner: string): Promise<string> => {
  const { token } = await world.api.tokens.create({ name: owner, owner, scopes: ['read', 'run'] }, 'test');
  return token;
};
const staged = (): readonly string[] => {
  const directory = join(world.api.config.home, 'uploads');
  return existsSync(directory) ? readdirSync(directory) : [];
};

/** Sends bytes of an upload and not its end. */
function begin(token: string, path: string, bytes: number) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' };
  const upload = request({ port: world.port, method: 'PUT', path, headers });
  const status = new Promise<number>((resolve, reject) => {
    upload.once('response', (response) => resolve(response.resume().statusCode ?? 0));
    upload.once('error', reject);
  });
  upload.write(Buffer.alloc(bytes));
  return { upload, status };
}

it('an upload for a sandbox that is not there is refused before its end, and takes no disk', async () => {
  const token = await tokenOf('mallory');
  const { upload, status } = begin(token, '/v1/sandboxes/absent/files?path=/a', 1000);
  expect(await status).toBe(404);
  upload.destroy();
  expect(staged()).toEqual([]);
});

it('uploads of one owner on their way are bounded, those of another go on, and a broken one gives its place back', async () => {
  const [mallory, alice] = [await tokenOf('mallory'), await tokenOf('alice')];
  for (const token of [mallory, alice]) await world.ask('/v1/sandboxes', { token, body: { taskId: 'build' } });
  const file = (name: string): string => `/v1/sandboxes/build/files?path=${encodeURIComponent(join(world.root, name))}`;
  const first = begin(mallory, file('a'), 0.75 * mebibyte);
  first.status.catch(() => undefined);
  const used = async () =>
    (await world.api.installation.budgets()).find(({ name }) => name === 'staged_bytes')?.used ?? 0;
  await expect.poll(used).toBeGreaterThan(0.7 * mebibyte);
  const second = begin(mallory, file('b'), 0.75 * mebibyte);
  expect(await second.status).toBe(429);
  second.upload.destroy();
  const headers = { 'content-type': 'application/octet-stream' };
  const written = await world.ask(file('c'), { method: 'PUT', token: alice, body: 'x'.repeat(mebibyte / 2), headers });
  expect(written.status).toBe(200);
  first.upload.destroy();
  await expect.poll(used).toBe(0);
  await expect.poll(staged).toEqual([]);
});
