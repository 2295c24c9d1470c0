import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditIn } from '../../src/audit/log.ts';
import type { Guarantees } from '../../src/backend.ts';
import { acquire } from '../../src/sandbox/acquire.ts';
import type { Context } from '../../src/sandbox/context.ts';
import type { Plan } from '../../src/sandbox/create.ts';
import { findRow, removeSandbox, stopSandbox } from '../../src/sandbox/end.ts';
import { collectGarbage, garbageOf, lostCredentials } from '../../src/sandbox/garbage.ts';
import { Gate } from '../../src/sandbox/gate.ts';
import { withSandbox } from '../../src/sandbox/healing.ts';
import { sweep, sweepable } from '../../src/sandbox/sweep.ts';
import { writeRecord } from '../../src/secrets/credentials/record.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import { fakeBackend } from '../fixtures/fake-backend/backend.ts';
import { FakePlace } from '../fixtures/fake-backend/place.ts';
import { spec } from './rows.ts';

let home: string;
let place: FakePlace;
const closers: (() => Promise<void>)[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'caisson-life-'));
  place = new FakePlace();
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await place.dispose();
  await rm(home, { recursive: true, force: true });
});

/** A service on the shared home and place; a second one is a restart, or another process. */
async function service(guarantees: Partial<Guarantees> = {}): Promise<Context> {
  const { store } = await openStore(join(home, 'caisson.db'));
  const backend = fakeBackend({ place, guarantees });
  closers.push(() => store.close());
  return {
    home,
    store,
    audit: auditIn(join(home, 'audit'), { storeBytes: 1e6, fileBytes: 1e6, owner: store.owner }),
    backend: () => Promise.resolve(backend),
    gate: new Gate(2),
    live: new Map(),
    measuring: new Map(),
    requirePatchedRuntime: false,
  };
}

async function plan(context: Context, patch: Partial<Plan> = {}): Promise<Plan> {
  const guarantees = await (await context.backend('fake')).guarantees();
  const limits = { cpuCores: null, memoryBytes: null, diskBytes: null, pids: null };
  const hardening = { ...spec.hardening, seccomp: 'engine', user: 'host' } as const;
  const own = { ...spec, image: null, network: 'open', limits, hardening, cwd: '/' } as const;
  return {
    taskId: 'demo',
    spec: own,
    placed: own,
    credentials: { configured: [], bySkills: [], directory: '/root/.caisson' },
    fingerprint: 'f'.repeat(32),
    recreate: false,
    existing: false,
    degraded: [],
    guarantees,
    ephemeral: false,
    idleMs: null,
    ttlMs: null,
    ...patch,
  };
}

describe('create or get', () => {
  it('makes a sandbox once, however many ask at once', async () => {
    const context = await service();
    const asked = await plan(context);
    const handles = await Promise.all(Array.from({ length: 8 }, () => acquire(context, asked, {})));
    expect(new Set(handles.map(({ row }) => row.id)).size).toBe(1);
    expect(handles.filter(({ how }) => how === 'created')).toHaveLength(1);
    expect(place.resources.size).toBe(1);
  });

  it('finds what an earlier process made', async () => {
    const first = await service();
    const made = await acquire(first, await plan(first), {});
    const second = await service();
    const found = await acquire(second, await plan(second), {});
    expect([found.how, found.row.id]).toEqual(['found', made.row.id]);
  });

  it('makes the same sandbox anew when it has vanished, and says so', async () => {
    const context = await service();
    const made = await acquire(context, await plan(context), {});
    await place.vanish(made.row.id);
    const handle = await withSandbox(context, await plan(context), {}, async (current) => {
      const process = await current.sandbox.exec(['true'], { cwd: '/', env: {}, stdin: false });
      process.stdout.resume();
      process.stderr.resume();
      await process.wait();
      process.release();
      return current;
    });
    expect(handle.how).toBe('recreated');
    expect(handle.row).toMatchObject({ id: made.row.id, generation: 2 });
    expect(place.resources.size).toBe(1);
  });

  it('makes none for who wants the one that is there, and was removed meanwhile', async () => {
    const context = await service();
    await acquire(context, await plan(context), {});
    const existing = await plan(context, { existing: true });
    await removeSandbox(context, 'demo', { keepFiles: false });
    await expect(acquire(context, existing, {})).rejects.toMatchObject({ code: 'not_found' });
    expect(place.resources.size).toBe(0);
  });

  it('starts what was stopped', async () => {
    const context = await service();
    await acquire(context, await plan(context), {});
    await stopSandbox(context, 'demo', {});
    expect((await findRow(context, 'demo')).state).toBe('stopped');
    expect((await acquire(context, await plan(context), {})).how).toBe('started');
  });
});

describe('a creation that fails', () => {
  it.each(['before', 'after'] as const)(
    'leaves no row, resource or directory when the place fails %s the effect',
    async (at) => {
      const context = await service();
      place.fail({ on: 'create', at, error: 'unavailable' });
      await expect(acquire(context, await plan(context), {})).rejects.toMatchObject({ code: 'unavailable' });
      expect(await context.store.sandboxes()).toEqual([]);
      expect(place.resources.size).toBe(0);
      expect((await readdir(join(home, 'sandboxes/fake')).catch(() => [])).filter((name) => name !== 'tasks')).toEqual(
        [],
      );
      expect((await acquire(context, await plan(context), {})).how).toBe('created');
    },
  );

  it('leaves the files that an earlier sandbox of the task has kept', async () => {
    const context = await service({ persistence: 'directory' });
    const asked = await plan(context);
    const { row } = await acquire(context, { ...asked, spec: { ...asked.spec, persistent: true } }, {});
    const note = join(row.directory ?? '', 'note');
    await writeFile(note, 'kept');
    await removeSandbox(context, 'demo', { keepFiles: true });
    place.fail({ on: 'create', error: 'not_found' });
    await expect(acquire(context, { ...asked, spec: { ...asked.spec, persistent: true } }, {})).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await readFile(note, 'utf8')).toBe('kept');
  });

  it('leaves no resource when it was to replace another one', async () => {
    const context = await service();
    await acquire(context, await plan(context), {});
    place.fail({ on: 'create', at: 'after', error: 'unavailable' });
    const other = await plan(context, { fingerprint: 'e'.repeat(32), recreate: true });
    await expect(acquire(context, other, {})).rejects.toMatchObject({ code: 'unavailable' });
    expect(await context.store.sandboxes()).toEqual([]);
    expect(place.resources.size).toBe(0);
  });

  it('stays recorded when it cannot be cleaned up, and is finished by the next sweep', async () => {
    const context = await service();
    place.fail({ on: 'create', at: 'after', error: 'unavailable' });
    place.fail({ on: 'list', error: 'unavailable', times: 2 });
    await expect(acquire(context, await plan(context), {})).rejects.toMatchObject({ code: 'unavailable' });
    expect(await context.store.sandboxes()).toMatchObject([{ state: 'destroying' }]);
    expect(place.resources.size).toBe(1);
    place.heal();
    expect(await sweep(context, Date.now())).toMatchObject([{ reason: 'unfinished', error: null }]);
    expect(place.resources.size).toBe(0);
    expect(await context.store.sandboxes()).toEqual([]);
  });
});

describe('the sweep', () => {
  it('leaves alone what a live process works on', async () => {
    const [first, second] = [await service(), await service()];
    await acquire(first, await plan(first, { taskId: 'eph-aaaaaaaaaaaa', ephemeral: true }), {});
    expect(await sweepable(second, Date.now())).toEqual([]);
  });

  it('removes what an ephemeral owner left when it ended', async () => {
    const first = await service();
    await acquire(first, await plan(first, { taskId: 'eph-aaaaaaaaaaaa', ephemeral: true }), {});
    await first.store.close();
    const second = await service();
    expect(await sweep(second, Date.now())).toMatchObject([{ reason: 'ownerless', error: null }]);
    expect(place.resources.size).toBe(0);
  });

  it('removes past the time to live', async () => {
    const context = await service();
    const { row } = await acquire(context, await plan(context, { ttlMs: 1_000 }), {});
    expect(await sweep(context, row.createdAt + 999)).toEqual([]);
    expect(await sweep(context, row.createdAt + 1_000)).toMatchObject([{ reason: 'ttl', error: null }]);
    expect(await context.store.sandboxes()).toEqual([]);
  });

  it('tells what could not be removed, and keeps it', async () => {
    const context = await service();
    const { row } = await acquire(context, await plan(context, { ttlMs: 1 }), {});
    place.fail({ on: 'destroy', error: 'unavailable' });
    expect(await sweep(context, row.createdAt + 5)).toMatchObject([{ reason: 'ttl', error: { code: 'unavailable' } }]);
    expect(await context.store.sandboxes()).toMatchObject([{ state: 'destroying' }]);
  });
});

describe('garbage', () => {
  it('is a resource of ours without a row, and nothing else', async () => {
    const context = await service();
    const { row } = await acquire(context, await plan(context), {});
    await acquire(context, await plan(context, { taskId: 'other' }), {});
    await context.store.deleteSandbox(row.id);
    const garbage = await garbageOf(context, await context.backend('fake'));
    expect(garbage).toMatchObject([{ kind: 'resource', name: row.id, taskId: 'demo' }]);
    await collectGarbage(garbage);
    expect(place.resources.size).toBe(1);
  });

  it('are credential files of a sandbox that no record knows', async () => {
    const context = await service();
    const { row } = await acquire(context, await plan(context), {});
    for (const id of [row.id, 'sbx_0000000000000000'])
      await writeRecord(home, id, { placed: { 'token.json': { stamp: '', by: 'config' } }, directory: '/x' });
    const garbage = await lostCredentials(context);
    expect(garbage).toMatchObject([{ kind: 'directory', name: join(home, 'credentials', 'sbx_0000000000000000') }]);
    await collectGarbage(garbage);
    expect(await readdir(join(home, 'credentials'))).toEqual([row.id]);
    await removeSandbox(context, 'demo', { keepFiles: true });
    expect(await readdir(join(home, 'credentials'))).toEqual([]);
  });

  it('never is a resource of another instance', async () => {
    const context = await service();
    await acquire(context, await plan(context), {});
    await rm(join(home, 'caisson.db'), { force: true });
    await rm(join(home, 'instance'), { force: true });
    const elsewhere = await mkdtemp(join(tmpdir(), 'caisson-else-'));
    const { store } = await openStore(join(elsewhere, 'caisson.db'));
    expect(await garbageOf({ ...context, store }, await context.backend('fake'))).toEqual([]);
    await store.close();
    await rm(elsewhere, { recursive: true });
  });
});

describe('removal', () => {
  it('can be left when the place does not answer, and is finished later', async () => {
    const context = await service();
    await acquire(context, await plan(context), {});
    place.fail({ on: 'destroy', delayMs: Infinity });
    const leaving = new AbortController();
    const removing = removeSandbox(context, 'demo', { keepFiles: false, signal: leaving.signal });
    setTimeout(() => leaving.abort(), 50);
    await expect(removing).rejects.toMatchObject({ code: 'canceled', remedy: expect.stringContaining('caisson gc') });
    expect(await context.store.sandboxes()).toMatchObject([{ state: 'destroying' }]);
    place.heal();
    expect(await sweep(context, Date.now())).toMatchObject([{ reason: 'unfinished', error: null }]);
    expect(await context.store.sandboxes()).toEqual([]);
  });

  it('is ended all the same when its caller leaves and the place answers', async () => {
    const context = await service();
    await acquire(context, await plan(context), {});
    place.fail({ on: 'destroy', delayMs: 200 });
    const signal = AbortSignal.timeout(50);
    await removeSandbox(context, 'demo', { keepFiles: false, signal });
    expect(await context.store.sandboxes()).toEqual([]);
  });

  it('takes the files that an earlier one has kept, and nothing for a name that is none of a task', async () => {
    const context = await service({ persistence: 'directory' });
    const asked = await plan(context);
    const { row } = await acquire(context, { ...asked, spec: { ...asked.spec, persistent: true } }, {});
    await writeFile(join(row.directory ?? '', 'note'), 'kept');
    await removeSandbox(context, 'demo', { keepFiles: true });
    const noSuch = { code: 'not_found' };
    for (const name of ['demo/../demo', row.id, 'other'])
      await expect(removeSandbox(context, name, { keepFiles: false })).rejects.toMatchObject(noSuch);
    await expect(removeSandbox(context, 'demo', { keepFiles: true })).rejects.toMatchObject(noSuch);
    expect(await readdir(row.directory ?? '')).toEqual(['note']);
    await removeSandbox(context, 'demo', { keepFiles: false });
    expect(await readdir(join(home, 'sandboxes/fake'))).toEqual(['tasks']);
    expect(await readdir(join(home, 'sandboxes/fake/tasks'))).toEqual([]);
    await expect(removeSandbox(context, 'demo', { keepFiles: false })).rejects.toMatchObject(noSuch);
  });

  it('is idempotent over failures, and finishes what it began', async () => {
    const context = await service();
    await acquire(context, await plan(context), {});
    place.fail({ on: 'destroy', error: 'unavailable' });
    await expect(removeSandbox(context, 'demo', { keepFiles: false })).rejects.toMatchObject({ code: 'unavailable' });
    await removeSandbox(context, 'demo', { keepFiles: false });
    expect(place.resources.size).toBe(0);
    await expect(removeSandbox(context, 'demo', { keepFiles: false })).rejects.toMatchObject({ code: 'not_found' });
  });
});
