/** Bytes that an owner has on their way: archives on the disk of the service, and files in its memory that a client does not take. */
import { mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { BudgetName } from '../../src/budget/types.ts';
import { openWorld, type World } from './world.ts';

const mebibyte = 1024 ** 2;
let world: World;
const tokens = { alice: '', mallory: '' };
beforeAll(async () => {
  const limits = `{staged_bytes: {total: ${4 * mebibyte}, per_owner: ${2 * mebibyte}}, file_bytes: {total: ${16 * mebibyte}, per_owner: ${8 * mebibyte}}}`;
  world = await openWorld({
    config: `server: {limits: ${limits}}\nowners: {mallory: {backends: [local]}, alice: {backends: [local]}}\n`,
  });
  for (const owner of ['alice', 'mallory'] as const) {
    const { token } = await world.api.tokens.create({ name: owner, owner, scopes: ['read', 'run'] }, 'test');
    tokens[owner] = token;
    await world.ask('/v1/sandboxes', { token, body: { taskId: 'build' } });
  }
});
afterAll(async () => await world[Symbol.asyncDispose]());

const pathOf = (route: string, name: string): string =>
  `/v1/sandboxes/build/${route}?path=${encodeURIComponent(join(world.root, name))}`;
const figuresOf = async (wanted: BudgetName) =>
  (await world.api.installation.budgets()).find(({ name }) => name === wanted);
const archives = (): readonly string[] => readdirSync(join(world.api.config.home, 'archives'));

it('an archive of more than its owner may have on its way is refused, and gives all of it back', async () => {
  mkdirSync(join(world.root, 'tree'));
  for (const name of ['a', 'b', 'c']) writeFileSync(join(world.root, 'tree', name), Buffer.alloc(mebibyte, name));
  const refused = await world.ask(pathOf('files/archive', 'tree'), { token: tokens.mallory });
  expect([refused.status, await refused.json()]).toMatchObject([
    429,
    { details: { budget: 'staged_bytes', owner: 'mallory' } },
  ]);
  const small = await world.ask(pathOf('files/archive', 'tree/a'), { token: tokens.mallory });
  expect([small.status, (await small.arrayBuffer()).byteLength > mebibyte]).toEqual([200, true]);
  await expect.poll(async () => (await figuresOf('staged_bytes'))?.used).toBe(0);
  await expect.poll(archives).toEqual([]);
});

it('an archive that comes counts as it was sent and as it is unpacked', async () => {
  const archive = await world.ask(pathOf('files/archive', 'tree/a'), { token: tokens.alice });
  const body = Buffer.from(await archive.arrayBuffer());
  const headers = { 'content-type': 'application/octet-stream' };
  mkdirSync(join(world.root, 'into'));
  const put = { method: 'PUT', token: tokens.mallory, headers, body };
  const refused = await world.ask(pathOf('files/archive', 'into'), put);
  expect([refused.status, await refused.json()]).toMatchObject([429, { details: { budget: 'staged_bytes' } }]);
  expect(readdirSync(join(world.root, 'into'))).toEqual([]);
  await expect.poll(async () => (await figuresOf('staged_bytes'))?.used).toBe(0);
  await expect.poll(archives).toEqual([]);
});

/** Asks for a file, and takes nothing of the answer. */
function slowReader(name: string): void {
  const socket = connect(world.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const lines = [`GET ${pathOf('files', name)} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${tokens.mallory}`];
  socket.pause();
  socket.write([...lines, '', ''].join('\r\n'));
}

it('files that a client asks for and does not take hold their bytes within the share of its owner', async () => {
  writeFileSync(join(world.root, 'large'), '');
  truncateSync(join(world.root, 'large'), 64 * mebibyte);
  for (let count = 0; count < 4; count++) slowReader('large');
  await expect.poll(() => figuresOf('file_bytes')).toMatchObject({ used: 8 * mebibyte, waiting: 2 });
  const part = `${pathOf('files', 'large')}&length=1000`;
  const read = await world.ask(part, { token: tokens.alice });
  expect([read.status, (await read.arrayBuffer()).byteLength]).toEqual([200, 1000]);
});

it('gives the bytes of a reader back when it leaves', async () => {
  await expect.poll(() => figuresOf('file_bytes')).toMatchObject({ used: 0, waiting: 0 });
});
