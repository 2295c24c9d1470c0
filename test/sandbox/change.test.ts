/** What callers say about a sandbox when it is made, and later. */
import { describe, expect, it } from 'vitest';
import { acquire } from '../../src/sandbox/acquire.ts';
import { changeSandbox } from '../../src/sandbox/change.ts';
import { sweep } from '../../src/sandbox/sweep.ts';
import { clockAt } from '../fixtures/clock.ts';
import { afresh, plan } from './service.ts';

const { at, service } = afresh();

describe('labels and times of a sandbox', () => {
  it('are those of the request that makes it, with the label of a bound token', async () => {
    const context = await service();
    const bound = { key: 'team', value: 'a' };
    const wanted = await plan(context, { labels: { stage: 'x' }, bound, idleMs: 5_000, ttlMs: 60_000 });
    const { row } = await acquire(context, wanted, {});
    expect(row).toMatchObject({ labels: { stage: 'x', team: 'a' }, idleMs: 5_000, ttlMs: 60_000 });
    expect(await context.store.sandboxes.find(row.id)).toMatchObject({ labels: { stage: 'x', team: 'a' } });
  });

  it('a request for a sandbox that is there adds labels and sets the times that it names, and no others', async () => {
    const context = await service();
    await acquire(context, await plan(context, { labels: { a: '1' }, idleMs: 5_000, ttlMs: 60_000 }), {});
    const again = await plan(context, { labels: { b: '2' }, idleMs: null, ttlMs: 9, times: { ttlMs: 9 } });
    const { row, how } = await acquire(context, again, {});
    expect([how, row.labels, row.idleMs, row.ttlMs]).toEqual(['found', { a: '1', b: '2' }, 5_000, 9]);
    const silent = await acquire(context, await plan(context), {});
    expect([silent.row.labels, silent.row.ttlMs]).toEqual([{ a: '1', b: '2' }, 9]);
  });

  it('outlive that the resource vanishes and is made anew', async () => {
    const context = await service();
    const { row } = await acquire(context, await plan(context, { labels: { a: '1' }, idleMs: 5_000 }), {});
    await changeSandbox(context, row.id, { labels: { b: '2' }, times: { idleMs: 7_000 } }, {});
    at.place.resources.clear();
    const next = await service();
    const healed = await acquire(next, await plan(next, { idleMs: 300_000 }), {});
    expect([healed.how, healed.row.labels, healed.row.idleMs]).toEqual(['recreated', { a: '1', b: '2' }, 7_000]);
  });

  it('a change holds for the next sweep', async () => {
    const context = await service();
    const { row } = await acquire(context, await plan(context), {});
    expect(await sweep(context, clockAt(row.createdAt + 10 ** 9))).toEqual([]);
    await changeSandbox(context, 'demo', { times: { ttlMs: 1_000 } }, {});
    expect(await sweep(context, clockAt(row.createdAt + 999))).toEqual([]);
    expect(await sweep(context, clockAt(row.createdAt + 1_000))).toMatchObject([{ reason: 'ttl', error: null }]);
  });

  it('changes at once are all kept', async () => {
    const context = await service();
    await acquire(context, await plan(context), {});
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
    await Promise.all(keys.map((key) => changeSandbox(context, 'demo', { labels: { [key]: 'x' }, times: {} }, {})));
    const row = await context.store.sandboxes.ofTask('demo');
    expect(Object.keys(row?.labels ?? {}).toSorted()).toEqual(keys.toSorted());
  });

  it('a bound token gets no sandbox that another caller has made meanwhile, and changes nothing of it', async () => {
    const context = await service();
    const { row } = await acquire(context, await plan(context, { labels: { team: 'b' } }), {});
    const bound = { key: 'team', value: 'a' };
    for (const recreate of [false, true])
      await expect(acquire(context, await plan(context, { bound, recreate }), {})).rejects.toMatchObject({
        code: 'not_found',
      });
    expect(await context.store.sandboxes.find(row.id)).toMatchObject({ labels: { team: 'b' }, generation: 1 });
  });
});
