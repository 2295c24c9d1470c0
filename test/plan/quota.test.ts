/** What all sandboxes of one owner may take together. */
import { expect, it } from 'vitest';
import { allowedTo } from '../../src/config/owners.ts';
import { cappedSettings } from '../../src/plan/owner.ts';
import { quotaOf } from '../../src/plan/quota.ts';
import { resolveSpec } from '../../src/plan/resolve.ts';
import { refuseBeyond as refuse } from '../../src/store/quota.ts';
import { newRow, spec } from '../store/rows.ts';
import { generous, loadedWith } from './fixtures.ts';

const row = (taskId: string, limits: Partial<typeof spec.limits>) =>
  newRow({ taskId, spec: { ...spec, limits: { ...spec.limits, ...limits } } });
type Rows = Parameters<typeof refuse>[1];

function refuseBeyond(of: Rows[number], rows: Rows, allowed: Parameters<typeof quotaOf>[0]): void {
  const quota = quotaOf(allowed);
  if (quota !== null) refuse(of, rows, quota);
}

const beyond = (limit: string, used: number) =>
  expect.objectContaining({ code: 'resource_exhausted', details: expect.objectContaining({ limit, used }) });

it('a sandbox more than the owner may have is refused, and those of others do not count', () => {
  const others = [row('alice.a', {}), row('bob.a', {}), row('a', {})];
  expect(() => refuseBeyond(row('alice.b', {}), others, { sandboxes: 2 })).not.toThrow();
  expect(() => refuseBeyond(row('alice.b', {}), others, { sandboxes: 1 })).toThrow(beyond('sandboxes', 1));
});

it.each([
  { limit: 'total_cpu', limits: { cpuCores: 1.5 }, fits: { total_cpu: 3 }, tooMuch: { total_cpu: 2.9 }, used: 1.5 },
  {
    limit: 'total_memory',
    limits: { memoryBytes: 2 ** 30 },
    fits: { total_memory: 2048 },
    tooMuch: { total_memory: 2047 },
    used: 2 ** 30,
  },
  {
    limit: 'total_disk',
    limits: { diskBytes: 2 ** 30 },
    fits: { total_disk: 2048 },
    tooMuch: { total_disk: 2047 },
    used: 2 ** 30,
  },
])('$limit bounds the sum', ({ limit, limits, fits, tooMuch, used }) => {
  const others = [row('alice.a', limits)];
  expect(() => refuseBeyond(row('alice.b', limits), others, fits)).not.toThrow();
  expect(() => refuseBeyond(row('alice.b', limits), others, tooMuch)).toThrow(beyond(limit, used));
});

it('a sandbox without a limit of its own takes the whole total', () => {
  const allowed = { total_cpu: 4 };
  const open = row('alice.a', { cpuCores: null });
  expect(() => refuseBeyond(open, [], allowed)).not.toThrow();
  expect(() => refuseBeyond(row('alice.b', { cpuCores: 1 }), [open], allowed)).toThrow(beyond('total_cpu', 4));
});

it('a sandbox that is made anew does not count twice', () => {
  const known = row('alice.a', { cpuCores: 2 });
  expect(() => refuseBeyond(known, [known], { sandboxes: 1, total_cpu: 2 })).not.toThrow();
});

it('one sandbox of an owner with a total is bounded by it', () => {
  const settled = resolveSpec(
    loadedWith({ container_cpu: null }),
    { taskId: 'alice.build', backend: 'docker' },
    { ...generous, apart: true },
    { cwd: '/', env: {} },
  );
  expect(cappedSettings(settled, { total_cpu: 2, cpu: 3 }).spec.limits.cpuCores).toBe(2);
  expect(cappedSettings(settled, { total_cpu: 2, cpu: 1 }).spec.limits.cpuCores).toBe(1);
});

it('an owner that is not named has what default says, and the operator only what operator says', () => {
  const owners = { alice: { cpu: 1 }, default: { sandboxes: 2 } };
  expect(allowedTo('alice', { owners })).toEqual({ cpu: 1 });
  expect(allowedTo('bob', { owners })).toEqual({ sandboxes: 2 });
  expect(allowedTo('operator', { owners })).toEqual({});
  expect(allowedTo('operator', { owners: { operator: { execs: 1 } } })).toEqual({ execs: 1 });
  expect(quotaOf({ cpu: 1, execs: 1, requests_per_minute: 1 })).toBeNull();
});
