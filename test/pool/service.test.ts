/** The verbs of the pool, and a process that keeps it filled until it closes. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCaisson } from '../../src/main.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { apiOf } from '../../src/service/owned.ts';
import { fakeBackend } from '../fixtures/fake-backend/backend.ts';
import { FakePlace } from '../fixtures/fake-backend/place.ts';

let root = '';
let place: FakePlace;
const open: Caisson[] = [];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'caisson-pool-'));
  place = new FakePlace();
});
afterEach(async () => {
  for (const caisson of open.splice(0)) await caisson.close();
  await place.dispose();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

async function opened(pool = 'entries: { web: { size: 2 } }'): Promise<Caisson> {
  const home = join(root, 'home');
  await mkdir(home, { recursive: true, mode: 0o700 });
  const text = `terminal:\n  backend: boxes\n  cwd: /\n  allow_degraded: true\npool:\n  ${pool.replaceAll('\n', '\n  ')}\n`;
  await writeFile(join(home, 'config.yaml'), text, { mode: 0o600 });
  const guarantees = { isolation: 'container', persistence: 'directory' } as const;
  const module = { isolation: 'container', open: () => fakeBackend({ place, name: 'boxes', guarantees }) } as const;
  const env = { PATH: process.env['PATH'], HOME: root };
  const backends = { boxes: () => Promise.resolve(module) };
  const caisson = await openCaisson({ home, env, cwd: root, backends });
  open.push(caisson);
  return caisson;
}

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200 && !(await what()); tries += 1) await sleep(25);
  expect(await what()).toBe(true);
}

const ready = async (caisson: Caisson): Promise<number | undefined> => (await caisson.pool.list())[0]?.ready;

describe('the pool', () => {
  it('is empty until it is filled, gives its members to tasks, and is drained', async () => {
    const caisson = await opened();
    const web = { entry: 'web', backend: 'boxes', image: null, size: 2, making: 0, error: null };
    expect(await caisson.pool.list()).toEqual([{ ...web, ready: 0 }]);
    expect(await caisson.pool.fill()).toEqual([{ ...web, ready: 2 }]);
    const pooled = (await caisson.sandboxes.list({ pool: true })).items;
    expect(pooled.map(({ state }) => state)).toEqual(['pooled', 'pooled']);
    expect((await caisson.sandboxes.list()).items).toEqual([]);

    const phases: string[] = [];
    const onTimed = (phase: string): void => void phases.push(phase);
    const { sandbox } = await caisson.sandboxes.create({ taskId: 'demo' }, { onTimed });
    expect([pooled.map(({ id }) => id).includes(sandbox.id), phases]).toEqual([true, ['pool']]);
    const { exit, stdout } = await caisson.run({ taskId: 'demo', command: ['sh', '-c', 'echo from the pool'] });
    expect([exit.exitCode, stdout.text]).toEqual([0, 'from the pool\n']);
    expect((await caisson.sandboxes.list()).items.map(({ id }) => id)).toEqual([sandbox.id]);

    expect(await caisson.pool.drain()).toEqual({ removed: 1 });
    expect([await ready(caisson), place.resources.size]).toEqual([0, 1]);
    await caisson.sandboxes.create({ taskId: 'other' }, { onTimed });
    expect(phases).toContain('pool-empty');
  });

  it('says why it cannot be filled', async () => {
    const caisson = await opened();
    place.fail({ on: 'create', error: 'unavailable', times: 4 });
    expect(await caisson.pool.fill()).toMatchObject([{ ready: 0, error: expect.stringMatching(/./) }]);
  });

  it('is filled again behind claims, by the process that keeps it, and goes with it', async () => {
    const caisson = await opened();
    caisson.pool.keep();
    await until(async () => (await ready(caisson)) === 2);
    await caisson.sandboxes.create({ taskId: 'demo' });
    await until(async () => (await ready(caisson)) === 2 && place.resources.size === 3);
    await caisson.close();
    expect(place.resources.size).toBe(1);
  });

  it('stays for the next process where the configuration says so', async () => {
    const pool = 'keep: true\nentries: { web: { size: 1 } }';
    const first = await opened(pool);
    first.pool.keep();
    await until(async () => (await ready(first)) === 1);
    await first.close();
    const second = await opened(pool);
    const [member] = (await second.sandboxes.list({ pool: true })).items;
    expect((await second.sandboxes.create({ taskId: 'demo' })).sandbox.id).toBe(member?.id);
  });

  it('is left as it is by a process that only used it', async () => {
    const first = await opened();
    await first.pool.fill();
    await first.close();
    expect(place.resources.size).toBe(2);
  });

  it('is for tokens of the operator to see, and of the scope admin to change', async () => {
    const caisson = await opened();
    await caisson.pool.fill();
    const limits = { execs: null, requestsPerMinute: null };
    const token = { id: 'tok_a', owner: 'operator', scopes: ['run', 'read'], bounds: null, limits } as const;
    const seen = apiOf(caisson, { ...token, scopes: ['run', 'read'] });
    const ofAlice = apiOf(caisson, { ...token, owner: 'alice' });
    for (const refused of [ofAlice.pool.list(), seen.pool.fill(), seen.pool.drain()])
      await expect(refused).rejects.toMatchObject({ code: 'permission_denied' });
    expect(await seen.pool.list()).toMatchObject([{ entry: 'web', ready: 2 }]);
    expect((await seen.sandboxes.list({ pool: true })).items).toEqual([]);
    expect((await seen.sandboxes.list()).items).toEqual([]);
    expect((await ofAlice.sandboxes.list({ pool: true })).items).toEqual([]);
    expect(await apiOf(caisson, { ...token, scopes: ['admin'] }).pool.drain()).toEqual({ removed: 2 });
  });
});
