import { describe, expect, it } from 'vitest';
import { expiresAt, expiryOf, touchIntervalMs } from '../../src/sandbox/expiry.ts';
import { row } from './rows.ts';

describe('expiry', () => {
  it('never ends a sandbox without lifetimes', () => {
    expect(expiryOf(row(), Number.MAX_SAFE_INTEGER)).toBeNull();
    expect(expiresAt(row())).toBeNull();
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
    expect(expiryOf(candidate, now)).toBe(expected);
  });

  it('tells the earlier of both ends', () => {
    expect(expiresAt(row({ idleMs: 100, ttlMs: 500 }))).toBe(1_500);
    expect(expiresAt(row({ idleMs: 100, ttlMs: 5_000 }))).toBe(2_100);
  });

  it('touches at least three times within an idle lifetime, but not more than once a second', () => {
    expect(touchIntervalMs(300_000)).toBe(30_000);
    expect(touchIntervalMs(9_000)).toBe(3_000);
    expect(touchIntervalMs(10)).toBe(1_000);
    expect(touchIntervalMs(null)).toBe(30_000);
  });
});
