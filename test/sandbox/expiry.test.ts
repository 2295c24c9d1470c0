import { describe, expect, it } from 'vitest';
import { endsOf, expiresAt, expiryOf, startsIdle, touchIntervalMs } from '../../src/sandbox/expiry.ts';
import { row } from './rows.ts';
import { clockAt } from '../fixtures/clock.ts';

describe('expiry', () => {
  it('never ends a sandbox without lifetimes', () => {
    expect(expiryOf(row(), clockAt(Number.MAX_SAFE_INTEGER))).toBeNull();
    expect(expiresAt(row(), clockAt(0))).toBeNull();
  });

  it.each([
    [row({ idleMs: 100 }), 2_099, null],
    [row({ idleMs: 100 }), 2_100, 'idle'],
    [row({ idleMs: 100, state: 'stopped' }), 9_999, null],
    [row({ ttlMs: 5_000 }), 5_999, null],
    [row({ ttlMs: 5_000 }), 6_000, 'ttl'],
    [row({ ttlMs: 5_000, state: 'stopped' }), 6_000, 'ttl'],
    [row({ idleMs: 100, ttlMs: 5_000 }), 6_000, 'ttl'],
  ] as const)('tells why %# ends', (candidate, now, expected) => {
    expect(expiryOf(candidate, clockAt(now))).toBe(expected);
  });

  it('tells the earlier of both ends', () => {
    expect(expiresAt(row({ idleMs: 100, ttlMs: 500 }), clockAt(2_000))).toBe(1_500);
    expect(expiresAt(row({ idleMs: 100, ttlMs: 5_000 }), clockAt(2_000))).toBe(2_100);
  });

  it('tells each end with its time, the earliest first', () => {
    const ends = (candidate: ReturnType<typeof row>, stops = true) => endsOf(candidate, clockAt(3_000), { stops });
    expect(ends(row())).toEqual([]);
    expect(ends(row({ idleMs: 100_000, ttlMs: 5_000 }))).toEqual([
      { by: 'lifetime', does: 'remove', at: new Date(6_000).toISOString() },
      { by: 'idle', does: 'stop', at: new Date(102_000).toISOString() },
    ]);
    expect(ends(row({ idleMs: 100, state: 'stopped' }))).toEqual([]);
    expect(ends(row({ idleMs: 100 }), false)).toEqual([]);
    expect(ends(row({ idleMs: 100, ephemeral: true }))).toEqual([
      { by: 'idle', does: 'remove', at: new Date(2_100).toISOString() },
      { by: 'process', does: 'remove', at: null },
    ]);
  });

  it('tells an end by the boot clock, whatever the time of day was set to', () => {
    const boot = { id: 'boot-1', ms: 50_000 };
    const candidate = row({ ttlMs: 60_000, createdAt: 5, createdBoot: boot, usedBoot: boot });
    const now = clockAt(1_000_000, { id: 'boot-1', ms: 60_000 });
    expect(endsOf(candidate, now, { stops: true })).toMatchObject([{ at: new Date(1_050_000).toISOString() }]);
  });

  it('touches at least three times within an idle lifetime, but not more than once a second', () => {
    expect(touchIntervalMs(300_000)).toBe(30_000);
    expect(touchIntervalMs(9_000)).toBe(3_000);
    expect(touchIntervalMs(10)).toBe(1_000);
    expect(touchIntervalMs(null)).toBe(30_000);
  });

  it.each([3, -3])('is not moved by a step of the time of day by %i days', (days) => {
    const boot = { id: 'boot-1', ms: 50_000 };
    const candidate = row({ idleMs: 1_000, ttlMs: 60_000, createdBoot: boot, usedBoot: boot });
    const later = (ms: number) => clockAt(2_000 + days * 86_400_000, { id: 'boot-1', ms: boot.ms + ms });
    expect([999, 1_000, 60_000].map((ms) => expiryOf(candidate, later(ms)))).toEqual([null, 'idle', 'ttl']);
  });

  it.each([3, -3])('follows the time of day as it is set now, after a step by %i days', (days) => {
    const boot = { id: 'boot-1', ms: 50_000 };
    const stepMs = days * 86_400_000;
    const candidate = row({ idleMs: 60_000, ttlMs: null, usedAt: 2_000, createdBoot: boot, usedBoot: boot });
    const at = (wallMs: number) => expiresAt(candidate, clockAt(wallMs, { id: 'boot-1', ms: boot.ms + 5_000 }));
    expect([at(7_000), at(7_400), at(7_000 + stepMs)]).toEqual([62_000, 62_000, 62_000 + stepMs]);
  });

  it('counts no idle time over a boot, and the time to live by the time of day', () => {
    const boot = { id: 'boot-1', ms: 50_000 };
    const candidate = row({ idleMs: 1_000, ttlMs: 60_000, createdAt: 0, createdBoot: boot, usedBoot: boot });
    const after = (wallMs: number) => clockAt(wallMs, { id: 'boot-2', ms: 10 });
    expect([startsIdle(candidate, after(9_000)), expiryOf(candidate, after(9_000))]).toEqual([true, null]);
    expect(expiryOf(candidate, after(60_000))).toBe('ttl');
  });
});
