/** The page of limits: what it claims to be measured is, and what does not hold is said not to. */
import { expect, it } from 'vitest';
import type { Guarantees } from '../../src/backend.ts';
import type { Inspected } from '../../src/sandbox/types.ts';
import { limitsOf } from '../../src/sandbox/limits.ts';
import { limitsText } from '../../src/sandbox/limits-text.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { viewOf } from '../../src/sandbox/view.ts';
import { generous } from '../plan/fixtures.ts';
import { row, spec } from './rows.ts';

const measured = { limits: { memoryBytes: 64 * 2 ** 20, pids: 64, cpuCores: 0.5, readable: true }, routed: false };

function pageOf(over: Parameters<typeof row>[0] = {}, guarantees: Partial<Guarantees> = {}) {
  const inspected: Inspected = {
    ...viewOf(row(over), null, systemClock),
    resource: 'running',
    endsBy: [],
    noLanes: null,
  };
  return limitsOf(inspected, { guarantees: { ...generous, ...guarantees }, commandTimeoutMs: 180_000 });
}

const standings = ({ limits, network }: ReturnType<typeof pageOf>) =>
  Object.fromEntries([...limits.map(({ name, standing }) => [name, standing]), ['network', network.standing]]);

it('what was read inside is measured, also where it is another value than the wanted one', () => {
  const page = pageOf({ effective: measured });
  expect(standings(page)).toEqual({
    cpuCores: 'measured',
    memoryBytes: 'measured',
    pids: 'measured',
    network: 'measured',
    diskBytes: 'unlimited',
  });
  const text = limitsText(page);
  expect(text).toContain('- CPU cores: 0.5 (measured inside; 1 was asked for)');
  expect(text).toContain('- Memory and swap together: 64 MiB (measured inside)');
  expect(text).toContain('- none: nothing outside can be reached (measured inside)');
});

it('without a measurement, what the backend holds is enforced and no more', () => {
  const page = pageOf();
  expect(standings(page)).toMatchObject({ cpuCores: 'enforced', memoryBytes: 'enforced', network: 'enforced' });
  expect(limitsText(page)).toContain('64 MiB (enforced: cgroup v2; not measured inside)');
});

it('a route where there was to be none is not called measured', () => {
  expect(pageOf({ effective: { ...measured, routed: true } }).network.standing).toBe('enforced');
});

it('a network that the place filters has no proxy, and is not called measured', () => {
  const filtered = { ...spec, network: 'filtered', filteredBy: 'place' } as const;
  const page = pageOf({ spec: filtered, effective: measured });
  expect(page.network).toMatchObject({ mode: 'filtered', standing: 'enforced' });
  expect(limitsText(page)).toContain('filtered: what the egress rules allow can be reached, by a list of the place');
  expect(limitsText(page)).not.toContain('3128');
});

it('what the place does not hold is said not to be enforced, with the reason', () => {
  const degraded = [
    { control: 'memoryBytes', wanted: 64 * 2 ** 20, reason: 'no cgroup\n# here', asked: false },
    { control: 'network', wanted: 'none', reason: 'it can only give: open', asked: true },
  ];
  const page = pageOf({ degraded });
  expect(standings(page)).toMatchObject({ memoryBytes: 'not-enforced', network: 'not-enforced' });
  expect(page.network.mode).toBe('open');
  const text = limitsText(page);
  expect(text).toContain('NOT enforced: no cgroup # here; 64 MiB was asked for');
  expect(text).not.toMatch(/^# here/m);
});

it('names what is read-only', () => {
  const mounts = [
    { source: '/a', target: '/data', readOnly: true },
    { source: '/b', target: '/out', readOnly: false },
  ];
  const hardening = { ...spec.hardening, readOnlyRoot: true };
  expect(pageOf({ spec: { ...spec, mounts, hardening } }).readOnly).toEqual(['/', '/data']);
  expect(pageOf({ effective: { readOnlyRoot: true } }).readOnly).toEqual(['/']);
  expect(pageOf({ spec: { ...spec, hardening }, effective: { readOnlyRoot: false } }).readOnly).toEqual([]);
});

it.each([
  [{}, { persistence: 'directory' }, 'directories'],
  [{}, { persistence: 'place' }, 'all'],
  [{}, { persistence: 'none' }, 'nothing'],
  [{ spec: { ...spec, persistent: false } }, { persistence: 'place' }, 'nothing'],
  [{ ephemeral: true }, { persistence: 'place' }, 'nothing'],
  [{ spec: { ...spec, persistent: false } }, { isolation: 'none' }, 'all'],
] as const)('tells what is kept (%#)', (over, guarantees, kept) => {
  expect(pageOf(over, guarantees).kept).toBe(kept);
});
