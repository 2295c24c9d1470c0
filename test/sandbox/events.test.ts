/** Who stopped or removed a sandbox by itself, and why, as events say it. */
import { expect, it } from 'vitest';
import { acquire } from '../../src/sandbox/acquire.ts';
import type { Context } from '../../src/sandbox/context.ts';
import { sweep } from '../../src/sandbox/sweep.ts';
import { clockAt } from '../fixtures/clock.ts';
import { afresh, plan } from './service.ts';

const { at, service } = afresh();

/** The latest changes of state: author, reason, and what came of it. */
async function changes({ store }: Context, count: number): Promise<readonly (readonly unknown[])[]> {
  const rows = await store.events.read({ after: 0, owner: 'operator', max: 1000 });
  return rows.slice(-count).map(({ author, reason, data }) => [author, reason, data['from'], data['to']]);
}

it('a sandbox that was idle for too long is stopped by the sweeper, for idle', async () => {
  const context = await service({ isolation: 'container' });
  const { row } = await acquire(context, await plan(context, { idleMs: 1_000 }), {});
  expect(await sweep(context, clockAt(row.usedAt + 60_000))).toMatchObject([{ reason: 'idle', error: null }]);
  expect(await changes(context, 2)).toEqual([
    ['sweeper', 'idle', 'ready', 'stopping'],
    ['sweeper', 'idle', 'stopping', 'stopped'],
  ]);
});

it('a sandbox at its lifetime is removed by the sweeper, for lifetime', async () => {
  const context = await service();
  const { row } = await acquire(context, await plan(context, { ttlMs: 1_000 }), {});
  await sweep(context, clockAt(row.createdAt + 1_000));
  expect(await changes(context, 2)).toEqual([
    ['sweeper', 'lifetime', 'ready', 'destroying'],
    ['sweeper', 'lifetime', 'destroying', 'removed'],
  ]);
});

it('an ephemeral sandbox whose process has ended is removed by the reaper, for ownerless', async () => {
  const first = await service();
  await acquire(first, await plan(first, { taskId: 'eph-aaaaaaaaaaaa', ephemeral: true }), {});
  await first.store.close();
  const second = await service();
  await sweep(second);
  expect(await changes(second, 2)).toEqual([
    ['reaper', 'ownerless', 'ready', 'destroying'],
    ['reaper', 'ownerless', 'destroying', 'removed'],
  ]);
});

it('a removal that was cut off is finished by the reaper, for unfinished', async () => {
  const context = await service();
  const { row } = await acquire(context, await plan(context, { ttlMs: 1 }), {});
  at.place.fail({ on: 'destroy', error: 'unavailable' });
  await sweep(context, clockAt(row.createdAt + 5));
  await sweep(context);
  expect(await changes(context, 2)).toEqual([
    ['sweeper', 'lifetime', 'ready', 'destroying'],
    ['reaper', 'unfinished', 'destroying', 'removed'],
  ]);
});
