import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CaissonError } from '../../src/errors.ts';
import { acquire } from '../../src/sandbox/acquire.ts';
import type { Context } from '../../src/sandbox/context.ts';
import { stopSandbox } from '../../src/sandbox/end.ts';
import { whoEnded } from '../../src/sandbox/ended-by.ts';
import { withSandbox } from '../../src/sandbox/healing.ts';
import { sweep } from '../../src/sandbox/sweep.ts';
import { clockAt } from '../fixtures/clock.ts';
import { afresh, plan } from './service.ts';

const { service } = afresh();
const idleMs = 1_000;

/** A clock ten idle timeouts ahead: the sandbox seems unused for long. */
const late = () => clockAt(Date.now() + 10 * idleMs);

async function stateOf(context: Context): Promise<string | undefined> {
  return (await context.store.sandboxes.ofTask('demo'))?.state;
}

describe('a sandbox in use', () => {
  it('is not stopped as idle by this process or another, and is after its use has ended', async () => {
    const guarantees = { isolation: 'container' } as const;
    const [first, second] = [await service(guarantees), await service(guarantees)];
    const wanted = await plan(first, { idleMs });
    await withSandbox(first, wanted, {}, async () => {
      for (const context of [first, second]) expect(await sweep(context, late())).toEqual([]);
      expect(await stateOf(second)).toBe('ready');
    });
    first.uses.close();
    expect(await sweep(second, late())).toMatchObject([{ reason: 'idle', error: null }]);
    expect(await stateOf(first)).toBe('stopped');
  });

  it('is decided by one transaction: either the use or the stop comes first', async () => {
    const context = await service();
    const { row } = await acquire(context, await plan(context, { idleMs }), {});
    const idle = await context.store.sandboxes.find(row.id);
    if (idle === null) throw new Error('no row');
    const stop = (seen = idle) => context.store.uses.beginStop(row.id, { generation: 1, by: 'a test', idle: seen });
    expect(await stop({ ...idle, usedAt: idle.usedAt - 1 })).toBe(false);
    expect(await stop({ ...idle, idleMs: idleMs + 1 })).toBe(false);
    expect(await context.store.uses.begin(row.id, 1)).toBe(true);
    expect(await stop()).toBe(false);
    await context.store.uses.end(row.id, 1);
    expect(await stop()).toBe(true);
    expect(await context.store.uses.begin(row.id, 1)).toBe(false);
  });

  it('that is being stopped is waited for and started again', async () => {
    const [first, second] = [await service(), await service()];
    const wanted = await plan(first, { idleMs });
    const { row } = await acquire(first, wanted, {});
    await first.store.leases.acquire('task:demo');
    await first.store.uses.beginStop(row.id, { generation: 1, by: 'a test' });
    const using = withSandbox(second, wanted, {}, async ({ how }) => [how, await stateOf(second)]);
    await sleep(200);
    await first.store.sandboxes.update(row.id, { state: 'stopped' });
    await first.store.leases.release('task:demo');
    expect((await using)[1]).toBe('ready');
  });

  it('whose stop was cut off is stopped by a sweep, never removed', async () => {
    const context = await service();
    const { row } = await acquire(context, await plan(context, { idleMs: null }), {});
    await context.store.uses.beginStop(row.id, { generation: 1, by: 'a process that died' });
    expect(await sweep(context)).toMatchObject([{ reason: 'unfinished', error: null }]);
    expect(await stateOf(context)).toBe('stopped');
  });

  it('is not given again to work that has begun, and is to work that has not', async () => {
    const context = await service();
    const wanted = await plan(context);
    await acquire(context, wanted, {});
    const gone = new CaissonError('failed_precondition', 'it does not run');
    let calls = 0;
    const begun = withSandbox(context, wanted, {}, async ({ sandbox }) => {
      calls += 1;
      await sandbox.exec(['true'], { cwd: '/', env: {}, stdin: false });
      throw gone;
    });
    await expect(begun).rejects.toBe(gone);
    expect(calls).toBe(1);
    const fresh = withSandbox(context, wanted, {}, async () => {
      calls += 1;
      if (calls === 2) throw gone;
      return calls;
    });
    expect(await fresh).toBe(3);
  });

  it('names who stopped it to a command that it ended', async () => {
    const context = await service();
    const { row } = await acquire(context, await plan(context), {});
    expect(await whoEnded(context, row)).toBeNull();
    await stopSandbox(context, 'demo', {});
    expect(await whoEnded(context, row)).toBe(`the sandbox was stopped by caisson stop (process ${process.pid})`);
  });
});
