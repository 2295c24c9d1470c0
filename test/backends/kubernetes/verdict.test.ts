/** What a trial of network policies proves, and for how long it is believed. */
import { describe, expect, it } from 'vitest';
import { keptProof, subjectOf } from '../../../backends/kubernetes/proof.ts';
import { isRefused } from '../../../backends/kubernetes/network.ts';
import { isLeft } from '../../../backends/kubernetes/canary-pods.ts';
import {
  type Answer,
  type Seen,
  shortcoming,
  type Verdict,
  verdictFrom,
  verdictOf,
} from '../../../backends/kubernetes/verdict.ts';
import type { Kept } from '../../../src/backend.ts';

const seen = (controls: Answer, inbound: Answer, outbound: Answer | null): Seen => ({
  controls: [
    { what: 'the first', answer: 'reached' },
    { what: 'the second', answer: controls },
  ],
  inbound,
  outbound,
});
const both = ['inbound', 'outbound'];

describe('a trial of network policies', () => {
  it.each([
    ['what is open works, and nothing else', seen('reached', 'refused', 'refused'), { is: 'proved', ways: both }],
    ['addresses of pods are not refused', seen('reached', 'refused', null), { is: 'proved', ways: ['inbound'] }],
    ['nothing is refused', seen('reached', 'reached', 'reached'), { is: 'open', ways: both }],
    ['other pods come in', seen('reached', 'reached', 'refused'), { is: 'open', ways: ['inbound'] }],
    ['it reaches other pods', seen('reached', 'refused', 'reached'), { is: 'open', ways: ['outbound'] }],
    [
      'a connection came about without its control',
      seen('refused', 'reached', null),
      { is: 'open', ways: ['inbound'] },
    ],
  ] as const)('where %s', (_, looked, verdict) => {
    expect(verdictOf(looked)).toEqual(verdict);
  });

  it.each([
    ['a control fails', seen('refused', 'refused', 'refused'), 'the second does not work'],
    ['a control cannot be tried', seen('unable', 'refused', 'refused'), 'no program'],
    ['the way in cannot be tried', seen('reached', 'unable', 'refused'), 'no program'],
    ['the way out cannot be tried', seen('reached', 'refused', 'unable'), 'no program'],
  ] as const)('proves nothing where %s', (_, looked, why) => {
    expect(verdictOf(looked)).toEqual({ is: 'unknown', why: expect.stringContaining(why), mayPass: false });
  });

  it('says which way is open', () => {
    expect(shortcoming({ is: 'open', ways: ['inbound'] })).not.toContain('outbound');
    expect(shortcoming({ is: 'open', ways: ['inbound', 'outbound'] })).toContain('(inbound) and');
  });

  it('tries the way out only to addresses that the policy refuses', () => {
    const refusals = () => ({ ranges: ['10.0.0.0/8'], opened: [{ address: '10.1.2.3', port: 80 }] });
    const addresses = ['10.244.0.7', '10.1.2.3', '192.0.2.1', 'fd00::1'];
    expect(addresses.filter((address) => isRefused(refusals, address))).toEqual(['10.244.0.7', 'fd00::1']);
  });
});

describe('a verdict that is kept', () => {
  const place = { server: 'https://c', namespace: 'n' };
  const refusals = (range: string) => () => ({ ranges: [range], opened: [] });
  const subject = subjectOf(place, refusals('10.0.0.0/8'));
  const proved: Verdict = { is: 'proved', ways: ['inbound'] };
  const at = 1_800_000_000_000;
  const hourMs = 3_600_000;
  const kept = (value: unknown): Kept => ({ read: () => value, write: () => undefined });
  const found = (verdict: unknown, ageMs: number, about = subject) =>
    keptProof(kept({ subject: about, verdict, triedAtMs: at }), subject, at + ageMs);

  it('counts for a day where it proves, and for an hour where it does not', () => {
    expect(found(proved, 23 * hourMs)).toEqual({ verdict: proved, triedAtMs: at });
    expect(found(proved, 25 * hourMs)).toBeNull();
    const open: Verdict = { is: 'open', ways: ['inbound'] };
    expect(found(open, 0.9 * hourMs)).toEqual({ verdict: open, triedAtMs: at });
    expect(found(open, 1.1 * hourMs)).toBeNull();
  });

  it('does not count when the clock was set back', () => {
    expect(found(proved, -1)).toBeNull();
  });

  it.each([
    ['another server', subjectOf({ ...place, server: 'https://d' }, refusals('10.0.0.0/8'))],
    ['another namespace', subjectOf({ ...place, namespace: 'm' }, refusals('10.0.0.0/8'))],
    ['other policies', subjectOf(place, refusals('172.16.0.0/12'))],
  ])('does not count for %s', (_, about) => {
    expect(found(proved, 0, about)).toBeNull();
  });

  it.each([
    null,
    'proved',
    { is: 'proved' },
    { is: 'proved', ways: [] },
    { is: 'proved', ways: ['sideways'] },
    { is: 'unknown' },
  ])('does not count as %j, which this version does not write', (value) => {
    expect(verdictFrom(value)).toBeNull();
    expect(found(value, 0)).toBeNull();
  });
});

describe('a canary', () => {
  const at = Date.parse('2026-01-01T00:00:00Z');
  const pod = { metadata: { creationTimestamp: '2026-01-01T00:00:00Z' } };

  it('is left by a crash when its trial cannot run any more', () => {
    expect([0, 170, 190].map((seconds) => isLeft(pod, at + seconds * 1000))).toEqual([false, false, true]);
    expect(isLeft({ ...pod, status: { reason: 'DeadlineExceeded' } }, at)).toBe(true);
    expect(isLeft({ metadata: { ...pod.metadata, deletionTimestamp: 'x' } }, at + 190_000)).toBe(false);
  });
});
