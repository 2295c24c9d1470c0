/** How long a sandbox may live, as callers say it. */
import { expect, it } from 'vitest';
import { generous, loadedWith } from './fixtures.ts';
import { resolveSpec } from '../../src/plan/resolve.ts';
import { askedTimes, checkWithin } from '../../src/plan/times.ts';

const host = { cwd: '/srv', env: {} };

it('a request overrides each configured time by itself', () => {
  const loaded = loadedWith({ lifetime_seconds: 300, max_lifetime_seconds: 3_600 });
  const times = (request: object) => {
    const { idleMs, ttlMs } = resolveSpec(loaded, { taskId: 'build', ...request }, generous, host);
    return [idleMs, ttlMs];
  };
  expect(times({})).toEqual([300_000, 3_600_000]);
  expect(times({ idleTimeoutMs: 5_000 })).toEqual([5_000, 3_600_000]);
  expect(times({ lifetimeMs: null })).toEqual([300_000, null]);
  expect(times({ idleTimeoutMs: null, lifetimeMs: 7 })).toEqual([null, 7]);
});

it.each([0, -1, 1.5, Number.NaN, Infinity, 4e12])('%d is no time', (value) => {
  for (const name of ['idleTimeoutMs', 'lifetimeMs'])
    expect(() => askedTimes({ [name]: value })).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(name) }),
    );
});

it('another owner has at most what is configured, and anything where nothing is', () => {
  const configured = { idleMs: 1_000, ttlMs: null };
  for (const asked of [{}, { idleMs: 1_000 }, { idleMs: 1 }, { ttlMs: null }, { ttlMs: 10 ** 9 }])
    expect(() => checkWithin(asked, configured)).not.toThrow();
  for (const idleMs of [1_001, null])
    expect(() => checkWithin({ idleMs }, configured)).toThrow(
      expect.objectContaining({ code: 'permission_denied', details: { limit: 'idleTimeoutMs', cap: 1_000 } }),
    );
  expect(() => checkWithin({ ttlMs: null }, { idleMs: null, ttlMs: 5 })).toThrow(
    expect.objectContaining({ details: { limit: 'lifetimeMs', cap: 5 } }),
  );
});
