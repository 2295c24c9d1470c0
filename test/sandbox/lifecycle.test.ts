import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Budgets } from '../../src/budget/budgets.ts';
import { acquire } from '../../src/sandbox/acquire.ts';
import { findRow, removeSandbox, stopSandbox } from '../../src/sandbox/end.ts';
import { collectGarbage, findGarbage, lostCredentials } from '../../src/sandbox/garbage.ts';
import { withSandbox } from '../../src/sandbox/healing.ts';
import { sweep, sweepable } from '../../src/sandbox/sweep.ts';
import { writeRecord } from '../../src/secrets/credentials/record.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import { afresh, plan } from './service.ts';
import { clockAt } from '../fixtures/clock.ts';

const { at, service } = afresh();

describe('create or get', () => {
  it('makes a sandbox once, however many ask at once', async () => {
    const context = await service();
    const asked = await plan(context);
    const handles = await Promise.all(Array.from({ length: 8 }, () => acquire(context, asked, {})));
    expect(new Set(handles.map(({ row }) => row.id)).size).toBe(1);
    expect(handles.filter(({ how }) => how === 'created')).toHaveLength(1);
    expect(at.place.resources.size).toBe(1);
  });

  it('refuses an owner that makes more at once than it may, leaves no row of it, and serves another owner', async () => {
    const budgets = new Budgets(() => ({ creations: { per_owner: 1 } }));
    const context = { ...(await service()), budgets };
    const first = await plan(context, { taskId: 'mallory.a' });
    const second = { ...first, taskId: 'mallory.b' };
    const made = acquire(context, first, {});
    await expect(acquire(context, second, {})).rejects.toMatchObject({
      code: 'resource_exhausted',
      details: { budget: 'creations', reason: 'owner', owner: 'mallory' },
    });
    expect((await acquire(context, { ...first, taskId: 'alice.a' }, {})).how).toBe('created');
    await made;
    expect((await context.store.sandboxes.list({ limit: 1000 })).map(({ taskId }) => taskId).toSorted()).toEqual([
      'alice.a',
      'mallory.a',
    ]);
    expect((await acquire(context, second, {})).how).toBe('created');
  });

  it('finds what an earlier process made', async () => {
    const first = await service();
    const made = await acquire(first, await plan(first), {});
    const second = await service();
    const found = await acquire(second, await plan(second), {});
    expect([found.how, found.row.id]).toEqual(['found', made.row.id]);
  });

  it('gives all that ask at once in a later process the same one, so that none ends the lanes of another', async () => {
    const first = await service();
    await acquire(first, await plan(first), {});
    const second = await service();
    const asked = await plan(second);
    const handles = await Promise.all(Array.from({ length: 4 }, () => acquire(second, asked, {})));
    expect(new Set(handles.map(({ sandbox }) => sandbox)).size).toBe(1);
  });

  it('makes the same sandbox anew when it has vanished, and says so', async () => {
    const context = await service();
    const made = await acquire(context, await plan(context), {});
    await at.place.vanish(made.row.id);
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
    expect(at.place.resources.size).toBe(1);
  });

  it('makes it anew when it was stopped and its directory is gone, and says since when files are lost (R7)', async () => {
    const context = await service({ persistence: 'directory' });
    const asked = await plan(context);
    const persistent = { ...asked, spec: { ...asked.spec, persistent: true } };
    const made = await acquire(context, persistent, {});
    expect(made.row.directory).not.toBeNull();
    await stopSandbox(context, 'demo', {});
    await rm(made.row.directory ?? '', { recursive: true });
    const since = new Date(made.row.createdAt).toISOString();
    const handle = await acquire(context, persistent, {});
    expect([handle.how, handle.lostSince, handle.row.id]).toEqual(['recreated', since, made.row.id]);
    expect(await readdir(made.row.directory ?? '')).toEqual([]);
    expect(await context.store.sandboxes.find(made.row.id)).toMatchObject({ lostSince: since, state: 'ready' });
    expect((await acquire(context, persistent, {})).lostSince).toBeNull();
    const records = await Array.fromAsync(context.audit.tail({ count: 10, follow: false }));
    expect(records).toContainEqual(expect.objectContaining({ type: 'loss', taskId: 'demo', since }));
  });

  it('makes none for who wants the one that is there, and was removed meanwhile', async () => {
    const context = await service();
    await acquire(context, await plan(context), {});
    const existing = await plan(context, { existing: true });
    await removeSandbox(context, 'demo', { keepFiles: false });
    await expect(acquire(context, existing, {})).rejects.toMatchObject({ code: 'not_found' });
    expect(at.place.resources.size).toBe(0);
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
    async (when) => {
      const context = await service();
      at.place.fail({ on: 'create', at: when, error: 'unavailable' });
      await expect(acquire(context, await plan(context), {})).rejects.toMatchObject({ code: 'unavailable' });
      expect(await context.store.sandboxes.list({ limit: 1000 })).toEqual([]);
      expect(at.place.resources.size).toBe(0);
      expect(
        (await readdir(join(at.home, 'sandboxes/fake')).catch(() => [])).filter((name) => name !== 'tasks'),
      ).toEqual([]);
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
    at.place.fail({ on: 'create', error: 'not_found' });
    await expect(acquire(context, { ...asked, spec: { ...asked.spec, persistent: true } }, {})).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await readFile(note, 'utf8')).toBe('kept');
  });

  it('leaves no resource when it was to replace another one', async () => {
    const context = await service();
    await acquire(context, await plan(context), {});
    at.place.fail({ on: 'create', at: 'after', error: 'unavailable' });
    const other = await plan(context, { fingerprint: 'e'.repeat(32), recreate: true });
    await expect(acquire(context, other, {})).rejects.toMatchObject({ code: 'unavailable' });
    expect(await context.store.sandboxes.list({ limit: 1000 })).toEqual([]);
    expect(at.place.resources.size).toBe(0);
  });

  it('stays recorded when it cannot be cleaned up, and is finished by the next sweep', async () => {
    const context = await service();
    at.place.fail({ on: 'create', at: 'after', error: 'unavailable' });
    at.place.fail({ on: 'list', error: 'unavailable', times: 2 });
    await expect(acquire(context, await plan(context), {})).rejects.toMatchObject({ code: 'unavailable' });
    expect(await context.store.sandboxes.list({ limit: 1000 })).toMatchObject([{ state: 'destroying' }]);
    expect(at.place.resources.size).toBe(1);
    at.place.heal();
    expect(await sweep(context)).toMatchObject([{ reason: 'unfinished', error: null }]);
    expect(at.place.resources.size).toBe(0);
    expect(await context.store.sandboxes.list({ limit: 1000 })).toEqual([]);
  });
});

describe('the sweep', () => {
  it('leaves alone what a live process works on', async () => {
    const [first, second] = [await service(), await service()];
    await acquire(first, await plan(first, { taskId: 'eph-aaaaaaaaaaaa', ephemeral: true }), {});
    expect(await sweepable(second)).toEqual([]);
  });

  it('removes what an ephemeral owner left when it ended', async () => {
    const first = await service();
    await acquire(first, await plan(first, { taskId: 'eph-aaaaaaaaaaaa', ephemeral: true }), {});
    await first.store.close();
    const second = await service();
    expect(await sweep(second)).toMatchObject([{ reason: 'ownerless', error: null }]);
    expect(at.place.resources.size).toBe(0);
  });

  it('removes past the time to live', async () => {
    const context = await service();
    const { row } = await acquire(context, await plan(context, { ttlMs: 1_000 }), {});
    expect(await sweep(context, clockAt(row.createdAt + 999))).toEqual([]);
    expect(await sweep(context, clockAt(row.createdAt + 1_000))).toMatchObject([{ reason: 'ttl', error: null }]);
    expect(await context.store.sandboxes.list({ limit: 1000 })).toEqual([]);
  });

  it('tells what could not be removed, and keeps it', async () => {
    const context = await service();
    const { row } = await acquire(context, await plan(context, { ttlMs: 1 }), {});
    at.place.fail({ on: 'destroy', error: 'unavailable' });
    expect(await sweep(context, clockAt(row.createdAt + 5))).toMatchObject([
      { reason: 'ttl', error: { code: 'unavailable' } },
    ]);
    expect(await context.store.sandboxes.list({ limit: 1000 })).toMatchObject([{ state: 'destroying' }]);
  });
});

describe('garbage', () => {
  it('is a resource of Caisson without a row, and nothing else', async () => {
    const context = await service();
    const { row } = await acquire(context, await plan(context), {});
    await acquire(context, await plan(context, { taskId: 'other' }), {});
    await context.store.sandboxes.delete(row.id);
    const garbage = await findGarbage(context, await context.backend('fake'));
    expect(garbage).toMatchObject([{ kind: 'resource', name: row.id, taskId: 'demo' }]);
    await collectGarbage(garbage);
    expect(at.place.resources.size).toBe(1);
  });

  it('are credential files of a sandbox that no record knows', async () => {
    const context = await service();
    const { row } = await acquire(context, await plan(context), {});
    for (const id of [row.id, 'sbx_0000000000000000'])
      await writeRecord(at.home, id, { placed: { 'token.json': { stamp: '', by: 'config' } }, directory: '/x' });
    const garbage = await lostCredentials(context);
    expect(garbage).toMatchObject([{ kind: 'directory', name: join(at.home, 'credentials', 'sbx_0000000000000000') }]);
    await collectGarbage(garbage);
    expect(await readdir(join(at.home, 'credentials'))).toEqual([row.id]);
    await removeSandbox(context, 'demo', { keepFiles: true });
    expect(await readdir(join(at.home, 'credentials'))).toEqual([]);
  });

  it('never is a resource of another instance', async () => {
    const context = await service();
    await acquire(context, await plan(context), {});
    await rm(join(at.home, 'caisson.db'), { force: true });
    await rm(join(at.home, 'instance'), { force: true });
    const elsewhere = await mkdtemp(join(tmpdir(), 'caisson-else-'));
    const { store } = await openStore(join(elsewhere, 'caisson.db'));
    expect(await findGarbage({ ...context, store }, await context.backend('fake'))).toEqual([]);
    await store.close();
    await rm(elsewhere, { recursive: true });
  });
});
