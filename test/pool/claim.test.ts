/** Claims by tasks: what a claimed sandbox has of its task, and when a sandbox is made as without a pool. */
import { mkdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquire } from '../../src/sandbox/acquire.ts';
import type { Context } from '../../src/sandbox/context.ts';
import { findRow, removeSandbox } from '../../src/sandbox/end.ts';
import { collectGarbage, findGarbage } from '../../src/sandbox/garbage.ts';
import { sweep, sweepable } from '../../src/sandbox/sweep.ts';
import { fillOne } from '../../src/pool/fill.ts';
import type { SandboxRow } from '../../src/store/store.ts';
import { afresh, plan } from '../sandbox/service.ts';
import { clockAt } from '../fixtures/clock.ts';
import { type Pooling, pooling } from './pools.ts';

const { at, service: bare } = afresh();
const service = async (): Promise<Context> => await bare({ persistence: 'directory' });

const members = async ({ store }: Context): Promise<readonly SandboxRow[]> =>
  await store.sandboxes.list({ members: true, limit: 100 });

async function filled(count = 1, patch = {}): Promise<Pooling> {
  const pool = await pooling(await service(), patch);
  for (let made = 0; made < count; made += 1) await fillOne(pool.context, pool.entry);
  return pool;
}

describe('a member', () => {
  it('has no task, no label of a caller and no owner, and was measured', async () => {
    const { context } = await filled();
    const [row] = await members(context);
    expect(row).toMatchObject({ state: 'pooled', labels: {}, ephemeral: false, idleMs: null });
    expect(row?.taskId).toBe(`pool:${row?.id}`);
    expect(row?.effective).not.toBeNull();
    expect(row?.name).toMatch(/^caisson-[a-z0-9]{8}-pool-[a-z0-9]{16}$/);
    const [resource] = at.place.resources.values();
    expect(resource?.labels.task).toBe('pool');
  });

  it('is found by no verb, by its id or what stands for its task', async () => {
    const { context } = await filled();
    const [row] = await members(context);
    for (const name of [row?.id ?? '', row?.taskId ?? ''])
      await expect(findRow(context, name)).rejects.toMatchObject({ code: 'not_found' });
    await expect(removeSandbox(context, row?.id ?? '', { keepFiles: false })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await members(context)).toHaveLength(1);
  });

  it('is no garbage while it waits, and is swept by age', async () => {
    const { context } = await filled();
    const backend = await context.backend('fake');
    expect(await findGarbage(context, backend)).toEqual([]);
    expect(await sweepable(context)).toEqual([]);
    const later = clockAt(context.clock.wallMs() + 3_700_000);
    expect((await sweep(context, later)).map(({ reason, error }) => [reason, error])).toEqual([['ttl', null]]);
    expect(at.place.resources.size).toBe(0);
    expect(await findGarbage(context, backend)).toEqual([]);
  });
});

describe('a claim', () => {
  it('makes a member the sandbox of the task, with its files, times and labels', async () => {
    const { context, claims, asked } = await filled();
    const [member] = await members(context);
    const own = { labels: { team: 'blue' }, idleMs: 7_000, ttlMs: 9_000, fingerprint: 'c'.repeat(32) };
    const { row, how } = await acquire(context, { ...asked, ...own }, {});
    expect([row.id, how, claims.tally.hits]).toEqual([member?.id, 'created', 1]);
    expect(row).toMatchObject({ ...own, state: 'ready', taskId: 'demo', pool: null });
    expect(row.createdAt).toBeGreaterThanOrEqual(member?.createdAt ?? Infinity);
    expect(await context.store.sandboxes.ofTask('demo')).toMatchObject({ id: row.id, state: 'ready' });
    expect(await readlink(join(context.home, 'sandboxes/fake/tasks/demo'))).toBe(`../${row.id}`);
    expect(at.place.resources.size).toBe(1);
  });

  it('finds the same sandbox for the next command of the task', async () => {
    const { context, asked } = await filled(2);
    const first = await acquire(context, asked, {});
    const second = await acquire(context, asked, {});
    expect([second.row.id, second.how]).toEqual([first.row.id, 'found']);
    expect(await members(context)).toHaveLength(1);
  });

  it('serves a process that did not fill the pool', async () => {
    const { context } = await filled();
    const [member] = await members(context);
    const other = await pooling(await service());
    expect((await acquire(other.context, other.asked, {})).row.id).toBe(member?.id);
  });

  it('gives no sandbox twice, and makes those that are missing', async () => {
    const { context, asked } = await filled(3);
    const other = await pooling(await service());
    const tasks = Array.from({ length: 8 }, (_, index) => ({ ...asked, taskId: `task-${index}` }));
    const contexts = [context, other.context];
    const handles = await Promise.all(
      tasks.map(async (each, index) => await acquire(contexts[index % 2] ?? context, each, {})),
    );
    expect(new Set(handles.map(({ row }) => row.id)).size).toBe(8);
    expect(await members(context)).toEqual([]);
    expect(at.place.resources.size).toBe(8);
  });

  it('keeps an ephemeral one from the sweep of another process', async () => {
    const { context, asked } = await filled();
    const { row } = await acquire(context, { ...asked, taskId: 'eph-a', ephemeral: true }, {});
    expect(await sweepable((await pooling(await service())).context)).toEqual([]);
    expect(row.ephemeral).toBe(true);
  });

  it('is refused beyond the quota of the owner, and leaves the member', async () => {
    const { context, asked } = await filled();
    const bounded: Context = { ...context, allowed: (owner) => (owner === 'alice' ? { sandboxes: 0 } : {}) };
    const pool = await pooling(bounded);
    await expect(acquire(pool.context, { ...asked, taskId: 'alice.a' }, {})).rejects.toMatchObject({
      code: 'resource_exhausted',
    });
    expect(await members(context)).toHaveLength(1);
  });

  it('removes a member that does not run any more, and makes a sandbox instead', async () => {
    const { context } = await filled();
    const [member] = await members(context);
    for (const id of at.place.resources.keys()) await at.place.remove(id);
    const other = await pooling(await service());
    const { row } = await acquire(other.context, other.asked, {});
    expect(row.id).not.toBe(member?.id);
    expect(other.claims.tally.misses).toEqual([{ reason: 'dead', count: 1 }]);
    expect(await context.store.sandboxes.find(member?.id ?? '')).toBeNull();
  });
});

describe('a miss', () => {
  const missed = async ({ context, claims, asked }: Pooling): Promise<unknown> => {
    await acquire(context, asked, {});
    return claims.tally.misses.map(({ reason }) => reason);
  };

  it('has its reason when nothing is ready, or only what is made otherwise', async () => {
    expect(await missed(await filled(0))).toEqual(['empty']);
    const pool = await filled(1);
    const spec = { ...pool.asked.spec, cwd: '/tmp' };
    expect(await missed({ ...pool, asked: { ...pool.asked, taskId: 'other', spec, placed: spec } })).toEqual(['empty']);
    expect(await members(pool.context)).toHaveLength(1);
  });

  it('is what a task gets whose files are kept', async () => {
    const pool = await filled();
    const { context, asked } = pool;
    const first = await acquire(context, asked, {});
    await mkdir(join(first.row.directory ?? '', 'workspace'), { recursive: true });
    await writeFile(join(first.row.directory ?? '', 'workspace', 'note'), 'kept');
    await removeSandbox(context, 'demo', { keepFiles: true });
    await fillOne(context, pool.entry);
    expect(await missed(pool)).toEqual(['files']);
    expect((await context.store.sandboxes.ofTask('demo'))?.id).toBe(first.row.id);
  });

  it('is what an owner gets whose image has to be asked for', async () => {
    const spec = { ...(await plan(await service())).spec, image: 'registry.example.com/app:1' };
    const pool = await filled(1, { spec, placed: spec });
    const registries = { 'registry.example.com': { username: 'u', password_env: 'P' } };
    const context: Context = { ...pool.context, registries: { registries, owners: {} } };
    const other = await pooling(context);
    const alice = { ...pool.asked, taskId: 'alice.a' };
    expect(await other.claims.claim(alice, {})).toBeNull();
    expect(other.claims.tally.misses).toEqual([{ reason: 'registry', count: 1 }]);
    expect((await other.claims.claim({ ...pool.asked, taskId: 'mine' }, {}))?.row.taskId).toBe('mine');
  });
});

describe('a sandbox in which a command ran', () => {
  it('goes with its task, and never back', async () => {
    const { context, asked } = await filled();
    const { row } = await acquire(context, asked, {});
    await removeSandbox(context, 'demo', { keepFiles: false });
    expect(await context.store.sandboxes.find(row.id)).toBeNull();
    expect(await members(context)).toEqual([]);
    expect(at.place.resources.size).toBe(0);
  });
});

describe('a resource of the pool without a row', () => {
  it('is removed as garbage', async () => {
    const { context } = await filled();
    const [member] = await members(context);
    await context.store.sandboxes.delete(member?.id ?? '');
    const backend = await context.backend('fake');
    const found = await findGarbage(context, backend);
    expect(found.map(({ taskId }) => taskId)).toContain('pool');
    await collectGarbage(found);
    expect(at.place.resources.size).toBe(0);
    expect(await findGarbage(context, backend)).toEqual([]);
  });
});
