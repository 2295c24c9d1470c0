import { describe, expect, it } from 'vitest';
import { acquire } from '../../src/sandbox/acquire.ts';
import { taskLease } from '../../src/sandbox/context.ts';
import type { Plan } from '../../src/plan/types.ts';
import { afresh, plan } from './service.ts';

/** One that is there until it is said to have ended. */
class Carrying {
  isThere = true;
  asked = 0;
  restored = 0;
  whileRestored: () => Promise<void> = () => Promise.resolve();

  carries = (): Promise<boolean> => {
    this.asked += 1;
    return Promise.resolve(this.isThere);
  };

  restore = async (): Promise<void> => {
    this.restored += 1;
    await this.whileRestored();
    this.isThere = true;
  };
}

describe('what carries the traffic of a sandbox', () => {
  const { service } = afresh();
  const opened = async (patch: Partial<Plan> = {}) => {
    const carrier = new Carrying();
    const context = await service({}, { carrier });
    return { carrier, context, wanted: await plan(context, patch) };
  };

  it('is asked for at each use, and restored where it has ended, before the handle is given', async () => {
    const { carrier, context, wanted } = await opened();
    await acquire(context, wanted, {});
    const { sandbox } = await acquire(context, wanted, {});
    expect([carrier.asked, carrier.restored]).toEqual([1, 0]);
    carrier.isThere = false;
    const again = await acquire(context, wanted, {});
    expect([again.how, carrier.restored, carrier.isThere]).toEqual(['found', 1, true]);
    // Its lanes may be in use.
    expect(again.sandbox).toBe(sandbox);
  });

  it('is restored once by many uses, under the lease of the task', async () => {
    const { carrier, context, wanted } = await opened();
    await acquire(context, wanted, {});
    const held: boolean[] = [];
    carrier.isThere = false;
    carrier.whileRestored = async () => void held.push((await context.store.leases.holder(taskLease('demo'))) !== null);
    await Promise.all(Array.from({ length: 5 }, async () => await acquire(context, wanted, {})));
    expect([carrier.restored, held]).toEqual([1, [true]]);
  });

  it('is restored by another process, which finds the sandbox running', async () => {
    const { carrier, context, wanted } = await opened();
    await acquire(context, wanted, {});
    carrier.isThere = false;
    const other = await service({}, { carrier });
    expect([(await acquire(other, wanted, {})).how, carrier.restored]).toEqual(['found', 1]);
  });

  it('is restored for an ephemeral sandbox too, which stays the same', async () => {
    const { carrier, context, wanted } = await opened({ taskId: 'eph-aaaaaaaaaaaa', ephemeral: true });
    const { row } = await acquire(context, wanted, {});
    carrier.isThere = false;
    const again = await acquire(context, wanted, {});
    expect([again.row.id, again.how, carrier.restored]).toEqual([row.id, 'found', 1]);
  });

  it('ends the use where it cannot be restored', async () => {
    const { carrier, context, wanted } = await opened();
    await acquire(context, wanted, {});
    carrier.isThere = false;
    carrier.whileRestored = () => Promise.reject(new Error('it is gone'));
    await expect(acquire(context, wanted, {})).rejects.toThrow('it is gone');
    expect(await context.store.leases.holder(taskLease('demo'))).toBe(null);
  });
});
