/** What every store must do. `open` gives a new holder on the same state each time it is called. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { newApproval, newGrant, newRow, spec } from './rows.ts';

export interface Fixture {
  open(): Promise<Store>;
  remove(): Promise<void>;
}

export function testStore(name: string, create: () => Promise<Fixture>): void {
  describe(`the ${name} store`, () => {
    let fixture: Fixture;
    let store: Store;
    let other: Store;

    beforeEach(async () => {
      fixture = await create();
      store = await fixture.open();
      other = await fixture.open();
    });
    afterEach(async () => {
      await store.close();
      await other.close();
      await fixture.remove();
    });

    it('gives every holder of one state the same instance, and each its own identity', async () => {
      expect(store.instance).toMatch(/^[a-z0-9]{16}$/);
      expect(other.instance).toBe(store.instance);
      expect(store.holderId).toMatch(/^own_[a-z0-9]+$/);
      expect(other.holderId).not.toBe(store.holderId);
    });

    it('returns a row as it was stored, also to another holder', async () => {
      const row = newRow({
        state: 'ready',
        spec: { ...newRow().spec, network: 'filtered', filteredBy: 'place' },
        ref: { v: 1, container: 'abc', paused: false, port: null },
        directory: '/srv/tasks/a',
        degraded: [{ control: 'diskBytes', wanted: 5, reason: 'no quota', asked: false }],
        effective: { pids: 256, nested: { capabilities: ['CHOWN'] } },
        ephemeral: true,
        ttlMs: 1,
      });
      await store.sandboxes.insert(row);
      expect(await other.sandboxes.find(row.id)).toEqual(row);
      expect(await other.sandboxes.ofTask(row.taskId)).toEqual(row);
    });

    it('answers null for what is not there', async () => {
      expect(await store.sandboxes.find('sbx_none')).toBeNull();
      expect(await store.sandboxes.ofTask('none')).toBeNull();
      expect(await store.leases.holder('task:none')).toBeNull();
    });

    it('gives an approval once, to the command that it is about (AP-01, AP-02)', async () => {
      const row = newApproval();
      await store.approvals.insert(row);
      expect(await other.approvals.pending({ limit: 100 })).toEqual([row]);
      expect(await other.approvals.use(row.id, row.binding)).toBe(false);
      const answer = { state: 'approved', choice: 'once', by: 'somebody' } as const;
      expect(await other.approvals.answer(row.id, answer)).toBe(true);
      expect(await store.approvals.answer(row.id, { ...answer, state: 'denied' })).toBe(false);
      expect(await store.approvals.use(row.id, `${row.binding}x`)).toBe(false);
      const used = await Promise.all(
        Array.from({ length: 100 }, async (_, at) => await (at % 2 ? store : other).approvals.use(row.id, row.binding)),
      );
      expect(used.filter(Boolean)).toHaveLength(1);
      expect(await store.approvals.find(row.id)).toEqual({
        ...row,
        state: 'used',
        choice: 'once',
        answeredBy: 'somebody',
      });
      expect(await store.approvals.pending({ limit: 100 })).toEqual([]);
      expect(await store.approvals.find('apr_none')).toBeNull();
    });

    it('tells questions in the order in which they were asked, and forgets old ones', async () => {
      const old = newApproval({ createdAt: Date.now() - 8 * 86_400_000 });
      await store.approvals.insert(old);
      const rows = [newApproval({ createdAt: 2_000_000_000_000 }), newApproval({ createdAt: 2_000_000_000_000 })];
      for (const row of rows) await store.approvals.insert(row);
      expect((await other.approvals.pending({ limit: 100 })).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
      expect(await store.approvals.find(old.id)).toBeNull();
    });

    it('keeps a grant for every holder until it is deleted, its time ends, or the sandbox of its task goes', async () => {
      const row = newRow({ taskId: 'build' });
      await store.sandboxes.insert(row);
      const [kept, ended] = [newGrant({ createdAt: 1 }), newGrant({ expiresAt: 1 })];
      const another = newGrant({ taskId: 'other', createdAt: 2 });
      for (const grant of [ended, kept, another]) await store.grants.insert(grant);
      expect(await other.grants.list({ limit: 100 })).toEqual([kept, another]);
      expect(await other.grants.delete(another.id)).toBe(true);
      expect(await store.grants.delete(another.id)).toBe(false);
      await store.grants.insert(another);
      await other.sandboxes.delete(row.id);
      expect(await store.grants.list({ limit: 100 })).toEqual([another]);
    });

    it.each(['id', 'taskId', 'name'] as const)('refuses a second row with the same %s', async (key) => {
      const first = newRow();
      await store.sandboxes.insert(first);
      const second = newRow({ [key]: first[key] });
      await expect(other.sandboxes.insert(second)).rejects.toMatchObject({ code: 'already_exists' });
      expect(await store.sandboxes.list({ limit: 1000 })).toEqual([first]);
    });

    it('refuses a row, or a change of one, beyond the quota of its owner, and writes nothing then', async () => {
      const total = { cpuCores: 1, memoryBytes: null, diskBytes: null };
      const [first, second, foreign] = ['ann.a', 'ann.b', 'bob.a'].map((taskId) => newRow({ taskId }));
      if (first === undefined || second === undefined || foreign === undefined) throw new Error('no rows');
      await store.sandboxes.insert(first, { sandboxes: 1, total });
      await store.sandboxes.insert(foreign, { sandboxes: 1, total });
      const full = { code: 'resource_exhausted', details: { limit: 'sandboxes', used: 1 } };
      await expect(other.sandboxes.insert(second, { sandboxes: 1, total })).rejects.toMatchObject(full);
      expect(await store.sandboxes.find(second.id)).toBeNull();
      await other.sandboxes.insert(second, { sandboxes: 2, total });
      const greedy = { spec: { ...spec, limits: { ...spec.limits, cpuCores: 0.75 } } };
      const change = store.sandboxes.update(second.id, greedy, { sandboxes: 2, total });
      await expect(change).rejects.toMatchObject({ code: 'resource_exhausted', details: { limit: 'total_cpu' } });
      expect(await store.sandboxes.find(second.id)).toEqual(second);
      await store.sandboxes.update(second.id, greedy, { sandboxes: 2, total: { ...total, cpuCores: 2 } });
    });

    it('gives each list in pages, of which none is longer than its limit', async () => {
      const process = {
        kind: 'detached',
        taskId: 't',
        sandboxId: 's',
        backend: 'x',
        request: null,
        startedAt: 1,
      } as const;
      for (const n of ['a', 'b', 'c']) {
        await store.approvals.insert(newApproval({ id: `apr_${n}`, taskId: n === 'c' ? 'other' : 't' }));
        await store.grants.insert(newGrant({ id: `grt_${n}`, createdAt: 1, taskId: n === 'c' ? 'other' : 't' }));
        await store.execs.insert({ ...process, id: `exec_${n}`, sandboxId: n === 'c' ? 'other' : 's' });
      }
      const ids = async <Row extends { id: string }>(page: Promise<readonly Row[]>) => (await page).map(({ id }) => id);
      const [question] = await store.approvals.pending({ limit: 1 });
      const after = { at: question?.createdAt ?? 0, id: 'apr_a' };
      expect(await ids(other.approvals.pending({ after, limit: 5 }))).toEqual(['apr_b', 'apr_c']);
      expect(await ids(other.approvals.pending({ taskId: 't', limit: 5 }))).toEqual(['apr_a', 'apr_b']);
      const [grant] = await store.grants.list({ limit: 1 });
      const granted = { at: grant?.createdAt ?? 0, id: 'grt_b' };
      expect(await ids(other.grants.list({ after: granted, limit: 5 }))).toEqual(['grt_c']);
      expect(await ids(other.grants.list({ taskId: 't', limit: 5 }))).toEqual(['grt_a', 'grt_b']);
      expect((await other.grants.find('grt_c'))?.taskId).toBe('other');
      expect(await ids(other.execs.detached({ after: { at: 1, id: 'exec_a' }, limit: 1 }))).toEqual(['exec_b']);
      expect(await ids(other.execs.detached({ sandboxId: 'other', limit: 5 }))).toEqual(['exec_c']);
    });

    it('changes only what a patch names', async () => {
      const row = newRow({ ref: { v: 1 } });
      const untouched = newRow();
      await store.sandboxes.insert(row);
      await store.sandboxes.insert(untouched);
      const changed = { ...spec, network: 'open' } as const;
      await other.sandboxes.update(row.id, {
        state: 'ready',
        usedAt: 1_800_000_000_000,
        spec: changed,
        ref: null,
        ttlMs: 7,
      });
      expect(await store.sandboxes.find(row.id)).toEqual({
        ...row,
        state: 'ready',
        usedAt: 1_800_000_000_000,
        spec: changed,
        ref: null,
        ttlMs: 7,
      });
      expect(await store.sandboxes.find(untouched.id)).toEqual(untouched);
    });

    it('says not_found when a patch, also an empty one, meets no row', async () => {
      await expect(store.sandboxes.update('sbx_none', { state: 'ready' })).rejects.toMatchObject({ code: 'not_found' });
      await expect(store.sandboxes.update('sbx_none', {})).rejects.toMatchObject({ code: 'not_found' });
    });

    it('deletes a row, and does so again without complaint', async () => {
      const row = newRow();
      await store.sandboxes.insert(row);
      await store.sandboxes.delete(row.id);
      await other.sandboxes.delete(row.id);
      expect(await store.sandboxes.list({ limit: 1000 })).toEqual([]);
      await store.sandboxes.insert(row);
    });

    it('lists sandboxes from the oldest to the newest', async () => {
      const rows = [30, 10, 20].map((createdAt) => newRow({ createdAt }));
      for (const row of rows) await store.sandboxes.insert(row);
      expect((await other.sandboxes.list({ limit: 1000 })).map((row) => row.createdAt)).toEqual([10, 20, 30]);
    });

    it('gives a lease to one holder at a time, and never twice to the same', async () => {
      expect(await store.leases.acquire('task:a')).toBe(true);
      expect(await store.leases.acquire('task:a')).toBe(false);
      expect(await other.leases.acquire('task:a')).toBe(false);
      expect(await other.leases.acquire('task:b')).toBe(true);
      await store.leases.release('task:a');
      expect(await other.leases.acquire('task:a')).toBe(true);
    });

    it('lets no process give back the lease of another', async () => {
      await store.leases.acquire('task:a');
      await other.leases.release('task:a');
      expect(await other.leases.acquire('task:a')).toBe(false);
    });

    it('tells who holds a lease', async () => {
      await store.leases.acquire('task:a');
      const holder = await other.leases.holder('task:a');
      expect(holder).toMatchObject({ id: store.holderId, pid: process.pid, alive: true });
    });

    it('gives no more places of a group than there are, over all holders, and those of one back with it', async () => {
      expect(await store.places.take('execs.ann', 'one', 2)).toBe(true);
      expect(await other.places.take('execs.ann', 'two', 2)).toBe(true);
      expect(await store.places.take('execs.ann', 'three', 2)).toBe(false);
      expect(await store.places.take('execs.bob', 'three', 2)).toBe(true);
      await store.places.give('execs.ann', 'one');
      expect(await store.places.take('execs.ann', 'three', 2)).toBe(true);
      await other.close();
      expect(await store.places.take('execs.ann', 'four', 2)).toBe(true);
    });

    it('keeps the place of a detached process beyond its holder, until it is given back or the process is retired', async () => {
      const row = {
        kind: 'detached',
        taskId: 'build',
        sandboxId: 's',
        backend: 'x',
        request: null,
        startedAt: 1,
      } as const;
      for (const id of ['exec_one', 'exec_two']) {
        await other.execs.insert({ id, ...row });
        expect(await other.places.take('execs.ann', id, 2)).toBe(true);
        await other.places.keep('execs.ann', id, id);
      }
      await other.close();
      expect(await store.places.take('execs.ann', 'three', 2)).toBe(false);
      expect([...(await store.places.kept('execs.ann'))].sort()).toEqual(['exec_one', 'exec_two']);
      await store.places.giveKept(['exec_one']);
      await store.execs.retire('exec_two');
      expect(await store.places.kept('execs.ann')).toEqual([]);
      expect(await store.places.take('execs.ann', 'three', 1)).toBe(true);
      expect(await store.places.take('execs.ann', 'four', 1)).toBe(false);
    });

    it('has no place of a process that was retired or seen to end, and none is given back by another sandbox', async () => {
      const row = { kind: 'detached', taskId: 'build', backend: 'x', request: null, startedAt: 1 } as const;
      for (const [id, sandboxId] of [
        ['exec_one', 's'],
        ['exec_two', 's'],
        ['exec_three', 't'],
      ] as const) {
        await store.execs.insert({ id, sandboxId, ...row });
        await store.places.keep('execs.ann', id, id);
      }
      const ids = ['exec_one', 'exec_three'];
      await store.places.giveKept(ids, 's');
      expect([...(await store.places.kept('execs.ann'))].sort()).toEqual(['exec_three', 'exec_two']);
      await store.execs.retire('exec_two');
      expect(await store.places.kept('execs.ann')).toEqual(['exec_three']);
      expect(await store.places.take('execs.ann', 'four', 1)).toBe(false);
      await store.places.giveKept(ids, 't');
      expect(await store.places.take('execs.ann', 'four', 1)).toBe(true);
    });

    it('gives the leases of a holder back when it closes', async () => {
      await store.leases.acquire('task:a');
      await store.close();
      expect(await other.leases.holder('task:a')).toBeNull();
      expect(await other.leases.acquire('task:a')).toBe(true);
    });

    it('closes twice, and refuses work afterwards', async () => {
      await store.close();
      await store.close();
      await expect(store.sandboxes.list({ limit: 1000 })).rejects.toMatchObject({ code: 'failed_precondition' });
    });
  });
}
