/** Archives over HTTP: what comes out, what is taken, and what is refused whole. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { base256, directory, endMark, entry, file, long, pax, symlink, tree } from '../files/hostile-tars.ts';
import { snapshot } from '../files/scratch.ts';
import { openWorld, type World } from './world.ts';

let world: World;
let source: string;
beforeAll(async () => {
  world = await openWorld();
  await world.ask('/v1/sandboxes', { body: { taskId: 'build' } });
  source = join(world.root, 'source');
  mkdirSync(join(source, 'sub', 'empty'), { recursive: true });
  writeFileSync(join(source, 'a\nb'), 'odd name');
  writeFileSync(join(source, 'sub', 'program'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(source, 'sub', 'large'), Buffer.alloc(9 * 1024 * 1024, 'x'));
  chmodSync(join(source, 'sub', 'program'), 0o4755);
  symlinkSync('sub/large', join(source, 'inside'));
  symlinkSync('/etc/passwd', join(source, 'outside'));
});
afterAll(async () => await world[Symbol.asyncDispose]());

const at = (path: string): string =>
  `/v1/sandboxes/build/files/archive?path=${path.split('&').map(encodeURIComponent).join('&').replaceAll('%3D', '=')}`;
const put = async (path: string, body: Buffer, headers: Readonly<Record<string, string>> = {}) => {
  const type = { 'content-type': 'application/octet-stream' };
  const response = await world.ask(at(path), { method: 'PUT', body, headers: { ...type, ...headers } });
  return { status: response.status, answer: Object(await response.json()) };
};
const staged = (): readonly string[] =>
  ['uploads', 'archives'].flatMap((name) => {
    const path = join(world.root, 'home', name);
    return existsSync(path) ? readdirSync(path) : [];
  });
const nothingStaged = async (): Promise<void> => await expect.poll(staged, { timeout: 20_000 }).toEqual([]);

/** Fetch shows no trailers. */
async function get(path: string): Promise<{
  readonly body: Buffer;
  readonly trailers: NodeJS.Dict<string>;
  readonly headers: NodeJS.Dict<string | string[]>;
}> {
  return await new Promise((resolve, reject) => {
    request(world.url + at(path), { headers: { authorization: `Bearer ${world.agent}` } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => {
        resolve({ body: Buffer.concat(chunks), trailers: response.trailers, headers: response.headers });
      });
    })
      .once('error', reject)
      .end();
  });
}

it('a directory comes as a tar that tar(1) reads, with its digest in the trailer and without links that lead outside', async () => {
  const { body, trailers, headers } = await get(source);
  const sha256 = createHash('sha256').update(body).digest('base64');
  expect(trailers['repr-digest']).toBe(`sha-256=:${sha256}:`);
  expect([headers['content-type'], headers['x-skipped-entries']]).toEqual(['application/x-tar', '1']);
  const target = join(world.root, 'by-tar');
  mkdirSync(target);
  expect(spawnSync('tar', ['-xpf', '-', '-C', target], { input: body }).status).toBe(0);
  const expected = snapshot(source);
  expected.delete('outside');
  expect(snapshot(target)).toEqual(expected);
  expect(statSync(join(target, 'sub', 'program')).mode & 0o7777).toBe(0o755);
  await nothingStaged();
});

it('what GET gives, PUT takes: the tree is the same', async () => {
  const { body } = await get(source);
  const target = join(world.root, 'again');
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  const { status, answer } = await put(target, body, { 'repr-digest': digest });
  expect([status, answer]).toEqual([200, expect.objectContaining({ files: 3, directories: 3, skipped: [] })]);
  const expected = snapshot(source);
  expected.delete('outside');
  expect(snapshot(target)).toEqual(expected);
  await nothingStaged();
});

it('a file comes as an archive of that file, and PUT places it in a directory', async () => {
  const { body } = await get(join(source, 'sub', 'program'));
  const target = join(world.root, 'one');
  expect(await put(target, body)).toMatchObject({ status: 200, answer: { files: 1 } });
  expect(readFileSync(join(target, 'program'), 'utf8')).toBe('#!/bin/sh\n');
});

it('archives as programs write them are taken: without a root, without directories, with notes of git, read twice into one place', async () => {
  const target = join(world.root, 'liberal');
  const archive = Buffer.concat([
    ...[pax({ comment: 'a commit' }, 'g'), file('deep/below/one', '1'), directory('deep/'), directory('deep/')],
    ...[entry({ name: 'deep/two', body: Buffer.from('2'), mode: 0o4777 }), symlink('to', 'deep/two'), endMark],
  ]);
  for (let time = 0; time < 2; time++)
    expect(await put(target, archive)).toMatchObject({ status: 200, answer: { files: 2, directories: 3 } });
  expect([...snapshot(target)].toSorted(([a], [b]) => (a < b ? -1 : 1))).toEqual([
    ...[['deep', 'directory'] as const, ['deep/below', 'directory'] as const],
    ...[['deep/below/one', 'file 1'] as const, ['deep/two', 'program 2'] as const, ['to', '-> deep/two'] as const],
  ]);
  expect(statSync(join(target, 'deep', 'two')).mode & 0o7000).toBe(0);
});

const big = Buffer.alloc(4096);
const hostile: readonly (readonly [string, Buffer, string | undefined])[] = [
  ['an absolute name', tree(file('/etc/x')), 'absolute-name'],
  ['a name that leads upwards', tree(file('a/../../x')), 'dot-dot'],
  ['a long name that leads upwards', tree(long('L', `${'a/'.repeat(60)}../../x`), file('short')), 'dot-dot'],
  ['a pax name that leads upwards', tree(pax({ path: '../x' }), file('a')), 'dot-dot'],
  ['a pax name for all entries', tree(pax({ path: 'x' }, 'g'), file('a')), 'extension'],
  ['an absolute link', tree(symlink('l', '/etc/passwd')), 'link-outside'],
  ['a link that climbs outside', tree(directory('d'), symlink('d/l', '../../x')), 'link-outside'],
  ['a file below a link', tree(symlink('l', 'd'), file('l/x')), 'twice'],
  ['a file below a file', tree(file('a'), file('a/x')), 'twice'],
  ['a hard link', tree(file('a'), entry({ name: 'b', type: '1', link: 'a' })), 'hard-link'],
  ['a device', tree(entry({ name: 'd', type: '3' })), 'special'],
  ['a named pipe', tree(entry({ name: 'p', type: '6' })), 'special'],
  ['a sparse file', tree(entry({ name: 's', type: 'S' })), 'sparse'],
  ['one name twice', tree(file('a', '1'), file('a', '2')), 'twice'],
  ['a file where a directory is', tree(directory('a'), file('a')), 'twice'],
  ['more than may be unpacked', tree(entry({ name: 'a', size: base256(2n ** 40n) })), 'too-many-bytes'],
  ['a size that is negative', tree(entry({ name: 'a', size: base256(0n, 0xff) })), 'size'],
  ['a compressed archive', Buffer.concat([Buffer.from('1f8b0800', 'hex'), big]), 'compressed'],
  ['what is no tar', big.fill('x'), 'header'],
  ['an archive without its end', tree(file('a')).subarray(0, -1024), undefined],
  ['an archive that is cut in a file', tree(file('a', 'x'.repeat(2000))).subarray(0, 1600), undefined],
  ['nothing', Buffer.alloc(0), undefined],
];

it.each(hostile)('%s is refused, and changes nothing', async (_, archive, rule) => {
  const target = join(world.root, 'target');
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'a'), 'old');
  const before = snapshot(target);
  const { status, answer } = await put(target, archive);
  expect([status, answer]).toEqual([422, expect.objectContaining({ code: 'invalid_argument' })]);
  expect(answer.details.rule).toBe(rule);
  expect(answer.detail).not.toContain('sandbox');
  expect(snapshot(target)).toEqual(before);
  await nothingStaged();
});

it('an archive that is not what its digest says, and an upload that breaks off, change nothing', async () => {
  const target = join(world.root, 'untouched');
  const digest = `sha-256=:${createHash('sha256').update('other').digest('base64')}:`;
  expect(await put(target, tree(file('a')), { 'repr-digest': digest })).toMatchObject({ status: 422 });
  const socket = connect(world.port, '127.0.0.1');
  const head = [`PUT ${at(target)} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${world.agent}`];
  const body = ['Content-Type: application/octet-stream', 'Content-Length: 100000', '', ''];
  socket.write([...head, ...body].join('\r\n'));
  socket.write(tree(file('a')).subarray(0, 700));
  await expect.poll(() => staged().length, { timeout: 20_000 }).toBe(1);
  socket.destroy();
  await nothingStaged();
  expect(existsSync(target)).toBe(false);
});

it('a reader that leaves in the middle leaves nothing on the disk of the service', async () => {
  await new Promise<void>((resolve) => {
    const asking = request(
      world.url + at(source),
      { headers: { authorization: `Bearer ${world.agent}` } },
      (response) => {
        response.once('data', () => {
          expect(staged()).toHaveLength(1);
          response.destroy();
          resolve();
        });
      },
    );
    asking.on('error', () => undefined).end();
  });
  await setTimeout(50);
  await nothingStaged();
});

it('what is not there is 404, and protected places of the host take no archive', async () => {
  const missing = await world.ask(at(join(world.root, 'none')));
  expect([missing.status, Object(await missing.json()).code]).toEqual([404, 'not_found']);
  expect(await put(join(world.root, 'none', 'below'), tree(file('a')))).toMatchObject({ status: 404 });
  const keys = await put(join(world.root, '.ssh'), tree(file('authorized_keys')));
  expect(keys).toMatchObject({ status: 403, answer: { code: 'policy_denied' } });
  expect(existsSync(join(world.root, '.ssh', 'authorized_keys'))).toBe(false);
});

it('copies one entry of an archive by the rules of cp: as the path, or into a directory that exists', async () => {
  const target = join(world.root, 'by-name');
  const packed = tree(directory('d/'), file('d/f', 'in d'), file('f', 'alone'));
  const named = async (path: string, name: string) => await put(`${path}&name=${encodeURIComponent(name)}`, packed);
  expect(await named(target, 'f')).toMatchObject({ status: 200, answer: { files: 1, directories: 0 } });
  expect(readFileSync(target, 'utf8')).toBe('alone');
  mkdirSync(join(world.root, 'there'));
  expect(await named(join(world.root, 'there'), 'f')).toMatchObject({ status: 200 });
  expect(readFileSync(join(world.root, 'there/f'), 'utf8')).toBe('alone');
  expect(await named(join(world.root, 'there'), 'd')).toMatchObject({ status: 200, answer: { files: 1 } });
  expect(readFileSync(join(world.root, 'there/d/f'), 'utf8')).toBe('in d');
  for (const name of ['none', '..', 'd/f', '.'])
    expect(await named(join(world.root, 'there'), name)).toMatchObject({
      status: 422,
      answer: { detail: expect.stringMatching(/^the archive has no entry "/) },
    });
  await nothingStaged();
});
