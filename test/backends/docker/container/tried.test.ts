import { afterEach, expect, it, vi } from 'vitest';
import type { Restore } from '../../../../backends/docker/container/restore.ts';
import { forgetTrial, triedRefusals } from '../../../../backends/docker/container/tried.ts';
import type { Kept } from '../../../../src/backend.ts';

afterEach(() => void vi.useRealTimers());

function keeping() {
  const values = new Map<string, unknown>();
  const kept: Kept = { read: (name) => values.get(name) ?? null, write: (name, value) => void values.set(name, value) };
  let [failure, trials]: [string | null, number] = [null, 0];
  const restore: Restore = async () => {
    trials += 1;
    return failure;
  };
  return {
    values,
    kept,
    restore,
    fail: (why: string | null): void => void (failure = why),
    trials: () => trials,
    tried: (engine: string | null = 'engine-1') => triedRefusals(restore, { kept, engine }),
  };
}

it('a trial holds for a day where rules can be set, for ten minutes where not, and for one engine', async () => {
  vi.useFakeTimers();
  const here = keeping();
  for (let each = 0; each < 3; each += 1) expect(await here.tried()).toMatchObject({ enforced: true });
  expect(here.trials()).toBe(1);
  here.fail('no iptables');
  vi.advanceTimersByTime(23 * 3_600_000);
  expect(await here.tried()).toMatchObject({ enforced: true });
  expect(await here.tried('engine-2')).toMatchObject({
    enforced: false,
    reason: expect.stringContaining('no iptables'),
  });
  vi.advanceTimersByTime(9 * 60_000);
  here.fail(null);
  expect(await here.tried('engine-2')).toMatchObject({ enforced: false });
  vi.advanceTimersByTime(2 * 60_000);
  expect(await here.tried('engine-2')).toMatchObject({ enforced: true });
});

it('is made anew after a failure, after the clock was set back, and where nothing sound is kept', async () => {
  const here = keeping();
  await here.tried();
  forgetTrial(here.kept);
  await here.tried();
  expect(here.trials()).toBe(2);
  for (const value of [
    null,
    'x',
    { who: 1 },
    { ...Object(here.values.get('refusals')), triedAt: Date.now() + 60_000 },
  ]) {
    here.values.set('refusals', value);
    expect(await here.tried()).toMatchObject({ enforced: true });
  }
  expect(here.trials()).toBe(6);
  await here.tried(null);
  await here.tried(null);
  expect(here.trials()).toBe(8);
});
