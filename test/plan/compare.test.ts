import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Guarantees } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { compareSpec, withFilter } from '../../src/plan/compare.ts';
import type { Settled } from '../../src/plan/resolve.ts';
import { aSpec, bare, generous, settledFor } from './fixtures.ts';
import { containing } from '../matchers.ts';

const wanted = (over: Partial<Settled> = {}): Settled => settledFor(aSpec, over);

const everything = new Set([
  'cpuCores',
  'memoryBytes',
  'diskBytes',
  'pids',
  'network',
  'persistent',
  'readOnlyRoot',
  'seccomp',
  'runtime',
  'shmBytes',
  'user',
  'mounts',
  'image',
]);

describe('compareSpec', () => {
  it('leaves a spec alone that can be given', () => {
    expect(compareSpec(wanted({ asked: everything }), generous)).toEqual({ placed: aSpec, degraded: [] });
  });

  it('lists that an open network is not kept from private ones, and refuses where that was asked for', () => {
    const no: Guarantees = { ...generous, refusals: { enforced: false, reason: 'no iptables' } };
    const open = { spec: { ...aSpec, network: 'open' } } as const;
    const listed = { control: 'open_private', wanted: false, reason: 'no iptables', asked: false };
    expect(compareSpec(wanted(open), no)).toEqual({ placed: open.spec, degraded: [listed] });
    expect(() => compareSpec(wanted({ ...open, asked: new Set(['open_private']) }), no)).toThrow('no iptables');
    expect(compareSpec(wanted({ ...open, keepsPrivate: false }), no).degraded).toEqual([]);
    expect(compareSpec(wanted({ spec: { ...aSpec, network: 'none' } }), no).degraded).toEqual([]);
    const runc: Guarantees = { ...generous, refusals: { enforced: true, by: 'rules', runtimes: ['runc'] } };
    const withRuntime = (runtime: string | null) =>
      compareSpec(wanted({ spec: { ...open.spec, hardening: { ...aSpec.hardening, runtime } } }), runc).degraded;
    expect([withRuntime(null), withRuntime('runc')]).toEqual([[], []]);
    expect(withRuntime('runsc')).toMatchObject([{ control: 'open_private' }]);
  });

  it('leaves out what only comes from defaults, and lists all of it', () => {
    const { placed: spec, degraded } = compareSpec(wanted(), bare);
    expect(spec).toEqual({
      ...aSpec,
      image: null,
      limits: { cpuCores: null, memoryBytes: null, diskBytes: null, pids: null },
      network: 'open',
      persistent: false,
      mounts: [],
      hardening: { readOnlyRoot: false, seccomp: 'engine', runtime: null, shmBytes: null, user: 'root' },
    });
    expect(degraded.map(({ control, wanted: value }) => [control, value])).toEqual([
      ['cpuCores', 1],
      ['memoryBytes', 2 ** 30],
      ['diskBytes', 2 ** 30],
      ['pids', 64],
      ['image', 'debian:12'],
      ['network', 'none'],
      ['persistent', true],
      ['mounts', '/workspace'],
      ['readOnlyRoot', true],
      ['seccomp', 'builtin'],
      ['runtime', 'runsc'],
      ['shmBytes', 2 ** 26],
      ['user', 'host'],
    ]);
    expect(degraded.every(({ reason }) => reason !== '')).toBe(true);
  });

  it('gives no network in place of a filtered one, where it may give less than was asked for (NE-21)', () => {
    const filtered = { spec: { ...aSpec, network: 'filtered' as const }, asked: new Set(['network']) };
    const without = { ...generous, network: ['open', 'none'] as const };
    expect(() => compareSpec(wanted(filtered), without)).toThrow(expect.objectContaining({ code: 'not_supported' }));
    const { placed, degraded } = compareSpec(wanted({ ...filtered, allowDegraded: true }), without);
    expect([placed.network, degraded.map(({ control }) => control)]).toEqual(['none', ['network']]);
  });

  it('gives no network in place of an observed one, where a list of the place is all that filters (NE-21)', () => {
    const filtering = {
      ...generous,
      network: ['open', 'filtered', 'none'],
      filter: { ports: [443], mostHosts: 5 },
    } as const;
    const observed = { spec: { ...aSpec, network: 'observe' as const }, asked: new Set(['network']) };
    expect(() => compareSpec(wanted(observed), filtering)).toThrow(/network = observe \(it filters by a list of names/);
    const { placed, degraded } = compareSpec(wanted({ ...observed, allowDegraded: true }), filtering);
    expect([placed.network, degraded.map(({ control }) => control)]).toEqual(['none', ['network']]);
    expect(compareSpec(wanted({ ...observed, spec: { ...aSpec, network: 'filtered' } }), filtering).degraded).toEqual(
      [],
    );
  });

  it('marks a spec whose network the place filters, and no other', () => {
    const filtering = { ...generous, filter: { ports: [443], mostHosts: 5 } };
    const filtered = { ...aSpec, network: 'filtered' as const };
    expect(withFilter(filtered, filtering)).toEqual({ ...filtered, filteredBy: 'place' });
    expect(withFilter({ ...aSpec, network: 'open', filteredBy: 'place' }, filtering)).toEqual({
      ...aSpec,
      network: 'open',
    });
    expect(withFilter(filtered, generous)).toStrictEqual(filtered);
  });

  it('refuses all that was asked for at once, with reasons and both ways out (CH-20)', () => {
    try {
      compareSpec(wanted({ asked: new Set(['pids', 'runtime']) }), bare);
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof CaissonError)) throw error;
      expect(error.code).toBe('not_supported');
      expect(error.message).toBe(
        'backend docker cannot give what was asked for: pids = 64 (nothing here enforces it); runtime = runsc (it knows: no runtimes)',
      );
      expect(error.remedy).toMatch(/drop pids, runtime .*allow_degraded: true/);
      expect(error.details['unmet']).toHaveLength(2);
    }
  });

  it('degrades also what was asked for when that is allowed', () => {
    const usual = compareSpec(wanted(), bare);
    const demanded = compareSpec(wanted({ asked: everything, allowDegraded: true }), bare);
    expect(demanded.placed).toEqual(usual.placed);
    expect(demanded.degraded).toEqual(usual.degraded.map((each) => ({ ...each, asked: true })));
    expect(usual.degraded.some(({ asked }) => asked)).toBe(false);
  });

  it('does not miss a limit that is not wanted', () => {
    const spec = { ...aSpec, limits: { cpuCores: null, memoryBytes: null, diskBytes: null, pids: null } };
    const controls = compareSpec(wanted({ spec }), bare).degraded.map(({ control }) => control);
    expect(controls).not.toContain('pids');
  });

  it('tells that files stay where nothing is ephemeral', () => {
    const spec = { ...aSpec, persistent: false };
    expect(compareSpec(wanted({ spec }), { ...generous, ephemeral: false }).degraded).toMatchObject([
      { control: 'persistent', wanted: false },
    ]);
  });

  it('tells that a disk limit does not reach persistent directories, without refusing it', () => {
    const { placed: spec, degraded } = compareSpec(wanted({ asked: everything }), {
      ...generous,
      persistence: 'directory',
    });
    expect(spec.limits.diskBytes).toBe(2 ** 30);
    expect(degraded).toMatchObject([
      { control: 'diskBytes', wanted: 2 ** 30, reason: containing('persistent directories') },
    ]);
    expect(
      compareSpec(wanted({ spec: { ...aSpec, persistent: false } }), { ...generous, persistence: 'directory' })
        .degraded,
    ).toEqual([]);
  });

  it('keeps read-only mounts where only those can be given', () => {
    const mounts = [
      { source: '/a', target: '/a', readOnly: true },
      { source: '/b', target: '/b', readOnly: false },
    ];
    const { placed: spec, degraded } = compareSpec(wanted({ spec: { ...aSpec, mounts } }), {
      ...generous,
      mounts: 'read-only',
    });
    expect(spec.mounts).toEqual([mounts[0]]);
    expect(degraded).toMatchObject([{ control: 'mounts', wanted: '/b' }]);
  });

  it('gives a spec that the same place can give without a further word, whatever it lacks', () => {
    const enforcement = fc.boolean().map((enforced) => (enforced ? { enforced, by: 'x' } : { enforced, reason: 'y' }));
    const places: fc.Arbitrary<Guarantees> = fc.record({
      isolation: fc.constantFrom('none', 'remote-host', 'container', 'vm'),
      limits: fc.record({ cpuCores: enforcement, memoryBytes: enforcement, diskBytes: enforcement, pids: enforcement }),
      network: fc.constantFrom(['open'], ['none'], ['open', 'none']),
      persistence: fc.constantFrom('place', 'none'),
      ephemeral: fc.constant(true),
      survivesRestart: fc.boolean(),
      kill: fc.constant('tree'),
      mounts: fc.constantFrom('none', 'read-only', 'read-write'),
      credentials: fc.constant('copy'),
      hardening: fc.record({
        readOnlyRoot: fc.boolean(),
        seccomp: fc.boolean(),
        runtimes: fc.constantFrom([], ['runsc']),
        shm: fc.boolean(),
        hostUser: fc.boolean(),
      }),
    });
    fc.assert(
      fc.property(places, (guarantees) => {
        const { placed: spec } = compareSpec(wanted(), guarantees);
        expect(compareSpec(wanted({ spec, asked: everything }), guarantees)).toEqual({ placed: spec, degraded: [] });
      }),
    );
  });
});
