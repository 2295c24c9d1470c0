/** `user` of an exec from the request to its record, on a backend that has users, and refused before anything is made elsewhere. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Backend, Guarantees, Sandbox } from '../../../src/backend.ts';
import { openCaisson } from '../../../src/main.ts';
import type { Caisson } from '../../../src/service/caisson.ts';
import { fakeBackend } from '../../fixtures/fake-backend/backend.ts';
import { FakePlace } from '../../fixtures/fake-backend/place.ts';

const held: Partial<Guarantees> = { isolation: 'container', users: { unheld: ['it is a fake'] } };
const command = ['sh', '-c', 'printf %s "${RUN_BY-root}"'];

interface World {
  readonly open: () => Promise<Caisson>;
  /** Users as which something was started, in order. */
  readonly asked: string[];
}

async function world(guarantees = held, settings = ''): Promise<World> {
  const root = await mkdtemp(join(tmpdir(), 'caisson-users-'));
  const home = join(root, 'home');
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, 'config.yaml'), `terminal: {backend: mine${settings}}\n`, { mode: 0o600 });
  const place = new FakePlace();
  const opened: Caisson[] = [];
  onTestFinished(async () => {
    for (const caisson of opened) await caisson.close();
    await place.dispose();
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });
  const asked: string[] = [];
  const config = {
    defaults: { run_as_host_user: false },
    schema: () => Promise.resolve({ run_as_host_user: z.boolean() }),
  };
  const module = { isolation: 'container', config, open: () => withUsers(place, guarantees, asked) } as const;
  const open: World['open'] = async () => {
    const env = { PATH: process.env['PATH'], HOME: root };
    const backends = { mine: () => Promise.resolve(module) };
    const caisson = await openCaisson({ home, env, cwd: root, backends });
    opened.push(caisson);
    return caisson;
  };
  return { open, asked };
}

/** Its commands have the name of their user in their environment. */
function withUsers(place: FakePlace, guarantees: Partial<Guarantees>, asked: string[]): Backend {
  const backend = fakeBackend({ name: 'mine', place, guarantees });
  const { create, attach } = { create: backend.create.bind(backend), attach: backend.attach.bind(backend) };
  const users = (sandbox: Sandbox): NonNullable<Sandbox['users']> => ({
    as: (user) => ({
      exec: (words, options) => {
        asked.push(user);
        return sandbox.exec(words, { ...options, env: { ...options.env, RUN_BY: user } });
      },
    }),
  });
  const extended = (sandbox: Sandbox): Sandbox => Object.assign(sandbox, { users: users(sandbox) });
  backend.create = async (spec, options) => extended(await create(spec, options));
  backend.attach = async (ref, options) => extended(await attach(ref, options));
  return backend;
}

it('a command runs as its user, and its record, its events and the audit name the user', async () => {
  const { open, asked } = await world();
  const caisson = await open();
  expect((await caisson.run({ task: 'one', command })).stdout.text).toBe('root');
  const { execId, stdout } = await caisson.run({ task: 'one', command, user: 'app:users' });
  expect([stdout.text, asked]).toEqual(['app:users', ['app:users']]);
  expect(await caisson.execs.get(execId)).toMatchObject({ user: 'app:users', exit: { exitCode: 0 } });
  const [started] = await Array.fromAsync(caisson.execs.logs(execId));
  expect(started?.event).toMatchObject({ type: 'started', user: 'app:users' });
  const records = await Array.fromAsync(caisson.audit.tail({ count: 100 }));
  expect(records).toContainEqual(expect.objectContaining({ type: 'run', execId, user: 'app:users' }));
});

it('another process of the state directory ends the command of a user as that user', { timeout: 60_000 }, async () => {
  const { open, asked } = await world();
  const [caisson, other] = [await open(), await open()];
  const running = await caisson.exec({ task: 'one', execId: 'exec_users', command: ['sleep', '300'], user: 'app' });
  running.ignore();
  asked.length = 0;
  await other.execs.cancel('exec_users');
  expect((await running.exit).signal).toBe('SIGTERM');
  expect(new Set(asked)).toEqual(new Set(['app']));
});

it('a repeated id gives the same command for the same user alone', async () => {
  const { open } = await world();
  const caisson = await open();
  const request = { task: 'one', command, execId: 'exec_repeated', user: 'app' };
  expect((await caisson.run(request)).stdout.text).toBe('app');
  expect((await caisson.run(request)).stdout.text).toBe('app');
  const { user: _user, ...without } = request;
  for (const changed of [without, { ...request, user: 'root' }])
    await expect(caisson.run(changed)).rejects.toMatchObject({ code: 'conflict' });
});

it.each([
  ['the backend has no users', { isolation: 'container' }, ''],
  ['the sandbox runs as the host user', held, ', mine_run_as_host_user: true'],
] as const)('nothing is made for a user where %s', async (_why, guarantees, settings) => {
  const caisson = await (await world(guarantees, settings)).open();
  await expect(caisson.run({ task: 'one', command, user: 'app' })).rejects.toMatchObject({ code: 'not_supported' });
  expect((await caisson.sandboxes.list()).items).toEqual([]);
  expect((await caisson.run({ task: 'one', command })).stdout.text).toBe('root');
});

it('a program runs as its user, from a directory of its own that goes with it', async () => {
  const { open, asked } = await world();
  const caisson = await open();
  const code = { language: 'bash', text: 'pwd; printf %s "${RUN_BY-root}"; [ -z "$WAITS" ] || sleep 100' } as const;
  const ran = await caisson.run({ task: 'one', code, user: 'app' });
  expect([ran.stdout.text.split('\n')[1], asked]).toEqual(['app', ['app']]);
  expect((await caisson.execs.get(ran.execId)).user).toBe('app');
  const killed = await caisson.run({ task: 'one', code, user: 'app', env: { WAITS: '1' }, timeoutMs: 3000 });
  expect(killed.exit).toMatchObject({ reason: 'timed-out', survivors: [] });
  for (const { stdout } of [ran, killed]) expect(existsSync(stdout.text.split('\n')[0] ?? '/')).toBe(false);
});

it('what is detached takes no user', async () => {
  const caisson = await (await world()).open();
  const detached = Object({ task: 'one', command, user: 'app' });
  await expect(caisson.processes.start(detached)).rejects.toMatchObject({ code: 'invalid_argument' });
  expect((await caisson.sandboxes.list()).items).toEqual([]);
});
