/** Members of the pool in the store: one winner for each, and nothing that leads back. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/sqlite/open.ts';
import type { Claim } from '../../src/store/pool.ts';
import type { SandboxRow, Store } from '../../src/store/store.ts';
import { memberTask } from '../../src/values/member.ts';
import { newRow } from './rows.ts';
import { scratch } from './scratch.ts';

const key = 'a'.repeat(32);
const pool = { entry: 'web', image: null };
let directory: Awaited<ReturnType<typeof scratch>>;
let stores: Store[];

beforeEach(async () => {
  directory = await scratch();
  const path = join(directory.path, 'caisson.db');
  stores = [(await openStore(path)).store, (await openStore(path)).store];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await directory[Symbol.asyncDispose]();
});

function storeAt(index: number): Store {
  const store = stores[index];
  if (store === undefined) throw new Error('the test has no such store');
  return store;
}
const one = (): Store => storeAt(0);
const other = (): Store => storeAt(1);

async function member(over: Partial<SandboxRow> = {}): Promise<SandboxRow> {
  const { id } = newRow();
  const row = newRow({ id, taskId: memberTask(id), fingerprint: key, pool, idleMs: null, ...over });
  await one().sandboxes.insert(row);
  expect(await one().pool.offer(row.id)).toBe(true);
  return { ...row, state: 'pooled' };
}

function claimOf(taskId: string, over: Partial<Claim> = {}, ephemeral = false): Claim {
  const { spec, labels } = newRow({ labels: { of: taskId } });
  const becomes = {
    taskId,
    spec,
    ephemeral,
    labels,
    state: 'creating',
    fingerprint: 'f'.repeat(32),
    pool: null,
  } as const;
  return { key, first: [], becomes, quota: null, ...over };
}

describe('a claim', () => {
  it('gives each member to one task, whichever process asks', async () => {
    await member();
    await member();
    const tasks = Array.from({ length: 10 }, (_, index) => `task-${index}`);
    const claimed = await Promise.all(
      tasks.map(async (task, index) => await (index % 2 === 0 ? one() : other()).pool.claim(claimOf(task))),
    );
    const won = claimed.filter((row) => row !== null);
    expect(new Set(won.map(({ id }) => id)).size).toBe(2);
    expect(won).toHaveLength(2);
    expect(await one().sandboxes.list({ members: true, limit: 10 })).toEqual([]);
  });

  it('makes the member the sandbox of the task, in a state that a crash leaves to the sweep', async () => {
    const made = await member({ ref: { v: 1, id: 'x' } });
    const claimed = await other().pool.claim(claimOf('alice.build'));
    expect(claimed).toMatchObject({ id: made.id, taskId: 'alice.build', state: 'creating', pool: null, ref: made.ref });
    expect(await one().sandboxes.ofTask('alice.build')).toEqual(claimed);
    expect(await one().sandboxes.ofTask(made.taskId)).toBeNull();
    expect(await one().sandboxes.list({ owner: 'alice', limit: 10 })).toEqual([claimed]);
  });

  it('takes the oldest, and one that this process holds before it', async () => {
    const old = await member({ createdAt: 1 });
    const young = await member({ createdAt: 2 });
    expect((await one().pool.claim(claimOf('a', { first: [young.id] })))?.id).toBe(young.id);
    expect((await one().pool.claim(claimOf('b', { first: [young.id] })))?.id).toBe(old.id);
    expect(await one().pool.claim(claimOf('c'))).toBeNull();
  });

  it('takes no member of another fingerprint, and none that is not offered yet', async () => {
    await member({ fingerprint: 'b'.repeat(32) });
    const { id } = newRow();
    await one().sandboxes.insert(newRow({ id, taskId: memberTask(id), fingerprint: key, pool }));
    expect(await one().pool.claim(claimOf('a'))).toBeNull();
  });

  it('stays within the quota of the claimer, and leaves the member for others', async () => {
    const made = await member();
    const quota = { sandboxes: 1, total: { cpuCores: null, memoryBytes: null, diskBytes: null } };
    await one().sandboxes.insert(newRow({ taskId: 'alice.first' }));
    await expect(one().pool.claim(claimOf('alice.second', { quota }))).rejects.toMatchObject({
      code: 'resource_exhausted',
    });
    expect(await one().sandboxes.find(made.id)).toEqual(made);
    expect((await one().pool.claim(claimOf('bob.first', { quota })))?.id).toBe(made.id);
  });

  it('counts members for no owner', async () => {
    await member();
    const quota = { sandboxes: 1, total: { cpuCores: null, memoryBytes: null, diskBytes: null } };
    await one().sandboxes.insert(newRow({ taskId: 'mine' }), quota);
    expect((await one().sandboxes.find((await one().sandboxes.ofTask('mine'))?.id ?? ''))?.taskId).toBe('mine');
  });

  it('refuses a task that has a sandbox, and leaves the member as it was', async () => {
    const made = await member();
    await one().sandboxes.insert(newRow({ taskId: 'build' }));
    await expect(other().pool.claim(claimOf('build'))).rejects.toMatchObject({ code: 'already_exists' });
    expect(await one().sandboxes.find(made.id)).toEqual(made);
  });

  it('holds an ephemeral one for this process from the same moment on', async () => {
    const made = await member();
    await one().pool.claim(claimOf('eph-x', {}, true));
    expect(await other().leases.holder(`sandbox:${made.id}`)).toMatchObject({ id: one().holderId, alive: true });
  });

  it('takes the rules of the pool away, so that nothing is let out until those of the task are written', async () => {
    const made = await member();
    const lists = { allow: [], deny: ['example.com'], ports: [], presets: [] };
    await one().egress.configure(made.id, { lists, source: 'pool', later: null }, () => false);
    await one().pool.claim(claimOf('build'));
    expect(await other().egress.of(made.id)).toBeNull();
    const allowed = { ...lists, deny: [], allow: ['example.org'] };
    await one().egress.configure(made.id, { lists: allowed, source: 'edited since', later: null }, () => false);
    expect((await other().egress.of(made.id))?.configured).toEqual(allowed);
  });

  it('is an event of the task', async () => {
    const made = await member();
    await one().pool.claim(claimOf('build'));
    const events = await one().events.read({ after: 0, max: 100, owner: null });
    expect(events.at(-1)).toMatchObject({
      data: { sandboxId: made.id, taskId: 'build', from: 'pooled', to: 'creating' },
    });
  });
});

describe('a member', () => {
  it('is either claimed or retired, never both', async () => {
    const made = await member();
    const [claimed, retired] = await Promise.all([
      one().pool.claim(claimOf('build')),
      other().pool.retire(made.id, 'caisson pool drain'),
    ]);
    expect(claimed === null).toBe(retired);
  });

  it('is not offered again once it was claimed or retired', async () => {
    const first = await member();
    await one().pool.claim(claimOf('build'));
    expect(await one().pool.offer(first.id)).toBe(false);
    expect(await one().pool.retire(first.id, 'x')).toBe(false);
    const second = await member();
    expect(await one().pool.retire(second.id, 'x')).toBe(true);
    expect(await one().pool.offer(second.id)).toBe(false);
    expect(await one().sandboxes.find(second.id)).toMatchObject({ state: 'destroying', endedBy: 'x' });
  });

  it('is listed where members are asked for', async () => {
    const made = await member();
    const own = newRow();
    await one().sandboxes.insert(own);
    const ids = async (members: boolean | undefined) =>
      (await one().sandboxes.list({ ...(members === undefined ? {} : { members }), limit: 10 })).map(({ id }) => id);
    expect(await ids(true)).toEqual([made.id]);
    expect(await ids(false)).toEqual([own.id]);
    expect((await ids(undefined)).toSorted()).toEqual([made.id, own.id].toSorted());
  });
});
