/** The socket of the state directory, by which the command line of this host reaches the service. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../../src/http/serve.ts';
import { version } from '../../src/lib/build.ts';
import { answerFile, isServiceAlive, readServiceRecord, recordFile } from '../../src/lib/service-record.ts';
import { askSocket, type Answer, type UnixRequest } from './unix.ts';
import { openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => (world = await openWorld()));
afterAll(async () => await world[Symbol.asyncDispose]());

const homeOf = ({ root }: World): string => join(root, 'home');
const recordOf = (at: World) => readServiceRecord(homeOf(at)) ?? expect.fail('there is no record');
const answerOf = (at: World): string => readFileSync(answerFile(homeOf(at)), 'utf8').trim();
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const ask = async (path: string, how: UnixRequest = {}): Promise<Answer> =>
  await askSocket(recordOf(world).socket, path, { token: recordOf(world).token, ...how });

describe('the files of a running service', () => {
  it('say who it is and where it listens', () => {
    expect(recordOf(world)).toEqual({
      version: version(),
      pid: process.pid,
      url: world.url,
      socket: join(homeOf(world), 'service.sock'),
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      startTime: expect.stringMatching(/^\d+$/),
      mountNamespace: expect.stringMatching(/^mnt:\[\d+\]$/),
      directory: expect.stringMatching(/^\d+:\d+$/),
      token: expect.stringMatching(/^caisson_[\w-]{43}$/),
    });
    expect(isServiceAlive(recordOf(world))).toBe(true);
    expect(isServiceAlive({ ...recordOf(world), startTime: '1' })).toBe(false);
  });

  it('are for this user alone', () => {
    for (const path of [recordFile(homeOf(world)), answerFile(homeOf(world)), recordOf(world).socket])
      expect([path, modeOf(path)]).toEqual([path, '600']);
    expect(modeOf(homeOf(world))).toBe('700');
  });

  it('are gone when it has stopped, and their tokens with them', async () => {
    const other = await openWorld();
    const { socket, token } = recordOf(other);
    const answer = answerOf(other);
    await other.stop();
    for (const path of [socket, recordFile(homeOf(other)), answerFile(homeOf(other))])
      expect([path, existsSync(path)]).toEqual([path, false]);
    const again = await openWorld({ home: homeOf(other) });
    const now = readServiceRecord(homeOf(other));
    expect((await askSocket(socket, '/v1/sandboxes', { token })).status).toBe(401);
    expect((await askSocket(socket, '/v1/approvals', { token: answer })).status).toBe(401);
    expect((await askSocket(socket, '/v1/sandboxes', { token: now?.token ?? '' })).status).toBe(200);
    await again[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });
});

describe('the tokens of the command line', () => {
  it('ask and answer on the socket, each within its scopes', async () => {
    expect((await ask('/v1/sandboxes')).status).toBe(200);
    expect((await ask('/v1/tokens')).status).toBe(200);
    expect((await ask('/v1/approvals')).status).toBe(403);
    expect((await ask('/v1/approvals', { token: answerOf(world) })).status).toBe(200);
    expect((await ask('/v1/sandboxes', { token: answerOf(world) })).status).toBe(403);
    expect((await ask('/v1/sandboxes', { token: null })).status).toBe(401);
    expect((await ask('/v1/sandboxes', { token: `caisson_${'x'.repeat(43)}` })).status).toBe(401);
  });

  it('hold nowhere else, and are no tokens of the list', async () => {
    for (const token of [recordOf(world).token, answerOf(world)])
      for (const path of ['/v1/sandboxes', '/v1/approvals'])
        expect((await world.ask(path, { token })).status).toBe(401);
    const { items } = Object(await (await world.ask('/v1/tokens')).json());
    expect(items.map(({ name }: { readonly name: string }) => name)).not.toContain('command-line-ask');
  });

  it('let other tokens in as everywhere', async () => {
    expect((await ask('/v1/sandboxes', { token: world.agent })).status).toBe(200);
    expect((await ask('/v1/approvals', { token: world.person })).status).toBe(200);
  });

  it('refuse a request with an answer token that does not hold', async () => {
    const headers = { 'caisson-answer': `caisson_${'x'.repeat(43)}` };
    expect((await ask('/v1/sandboxes', { headers })).status).toBe(401);
    expect((await ask('/v1/sandboxes', { headers: { 'caisson-answer': answerOf(world) } })).status).toBe(200);
  });

  it('have no limit of requests, as commands without a service have none', async () => {
    await using limited = await openWorld({ config: 'owners: {operator: {requests_per_minute: 1}}\n' });
    const { socket, token } = recordOf(limited);
    for (let count = 0; count < 3; count++)
      expect((await askSocket(socket, '/v1/sandboxes', { token })).status).toBe(200);
  });
});

describe('an answer from the command line', () => {
  it('is given by the second token, which is on record, and never by the one that asked', async () => {
    const execId = 'exec_home';
    const body = { command: ['rm', '-rf', '/home/x'], execId, waitForApproval: false };
    await ask('/v1/sandboxes', { body: { taskId: 'build' } });
    const refused = await ask('/v1/sandboxes/build/execs', { body });
    expect([refused.status, refused.body['code']]).toEqual([403, 'approval_required']);
    const id = String(Object(refused.body['details'])['approvalId']);
    const choice = { choice: 'deny' };
    expect((await ask(`/v1/approvals/${id}`, { body: choice })).status).toBe(403);
    expect((await ask(`/v1/approvals/${id}`, { body: choice, token: answerOf(world) })).status).toBe(204);
    const tail = await ask('/v1/audit?count=20', { headers: { accept: 'application/x-ndjson' } });
    const entries = tail.text
      .trim()
      .split('\n')
      .map((line): Readonly<Record<string, unknown>> => Object(JSON.parse(line)));
    expect(entries.find(({ approval, answered }) => approval === id && answered === 'deny')).toMatchObject({
      by: expect.stringMatching(/^command-line-answer \(tok_/),
    });
  });
});

describe('a second service of a state directory', () => {
  it('runs without the socket and says so, and takes it when the first has gone', async () => {
    const first = await openWorld();
    const { token } = recordOf(first);
    const second = await openWorld({ home: homeOf(first) });
    expect([second.serving.socket, second.serving.notices]).toEqual([
      null,
      [expect.stringContaining('another service has the socket')],
    ]);
    expect(recordOf(first).token).toBe(token);
    await second.stop();
    expect((await askSocket(recordOf(first).socket, '/readyz')).status).toBe(200);
    await first.stop();
    const third = await openWorld({ home: homeOf(first) });
    expect(third.serving.socket).toBe(join(homeOf(first), 'service.sock'));
    for (const each of [third, second, first]) await each[Symbol.asyncDispose]();
  });

  it('is refused where it is to be alone', async () => {
    const { config } = world.api;
    const settings = { ...config.server, port: 0 };
    const started = serve(world.api, { settings, isPublic: false, log: { write: () => undefined }, alone: true });
    await expect(started).rejects.toMatchObject({ code: 'conflict', remedy: 'caisson service status' });
  });

  it('may not have the socket of the state directory as its address', async () => {
    const { config } = world.api;
    const settings = { ...config.server, socket: join(config.home, 'service.sock') };
    const started = serve(world.api, { settings, isPublic: false, log: { write: () => undefined } });
    await expect(started).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('what a service left that was killed', () => {
  it('is replaced', async () => {
    const root = mkdtempSync(join(tmpdir(), 'caisson-left-'));
    const home = join(root, 'home');
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(recordFile(home), 'no JSON', { mode: 0o644 });
    writeFileSync(answerFile(home), 'old', { mode: 0o644 });
    const left = createServer().listen(join(root, 'left.sock'));
    await new Promise((resolve) => left.once('listening', resolve));
    renameSync(join(root, 'left.sock'), join(home, 'service.sock'));
    left.close();
    const started = await openWorld({ home });
    expect(readServiceRecord(home)).toMatchObject({ pid: process.pid });
    expect(modeOf(answerFile(home))).toBe('600');
    expect((await askSocket(join(home, 'service.sock'), '/readyz')).status).toBe(200);
    await started[Symbol.asyncDispose]();
    rmSync(root, { recursive: true });
  });

  it('is left alone where it is no socket, and the service does not start', async () => {
    const root = mkdtempSync(join(tmpdir(), 'caisson-left-'));
    mkdirSync(join(root, 'home'), { mode: 0o700 });
    writeFileSync(join(root, 'home', 'service.sock'), 'mine');
    await expect(openWorld({ home: join(root, 'home') })).rejects.toMatchObject({ code: 'failed_precondition' });
    expect(readFileSync(join(root, 'home', 'service.sock'), 'utf8')).toBe('mine');
    rmSync(root, { recursive: true });
  });
});

it('a path that is too long for a socket has it in a private directory, which goes with the service', async () => {
  const root = mkdtempSync(join(tmpdir(), 'caisson-long-'));
  const home = join(root, 'd'.repeat(100));
  const at = await openWorld({ home });
  const socket = readServiceRecord(home)?.socket ?? '';
  expect(dirname(dirname(socket))).toBe(tmpdir());
  expect([modeOf(dirname(socket)), modeOf(socket)]).toEqual(['700', '600']);
  expect((await askSocket(socket, '/readyz')).status).toBe(200);
  await at[Symbol.asyncDispose]();
  expect(existsSync(dirname(socket))).toBe(false);
  rmSync(root, { recursive: true });
});

it('a state directory that others may write has no service', async () => {
  const root = mkdtempSync(join(tmpdir(), 'caisson-loose-'));
  mkdirSync(join(root, 'home'));
  chmodSync(join(root, 'home'), 0o777);
  await expect(openWorld({ home: join(root, 'home') })).rejects.toMatchObject({ code: 'failed_precondition' });
  rmSync(root, { recursive: true });
});
