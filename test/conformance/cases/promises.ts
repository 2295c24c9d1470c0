import { expect } from 'vitest';
import type { Spec } from '../../../src/backend.ts';
import { isCode } from '../../../src/errors.ts';
import type { Place } from '../place.ts';
import type { Suite } from '../suite.ts';

/** What the place says about itself, and what it does with a spec that asks for more. */
export function promiseCases(suite: Suite): void {
  const { guarantees } = suite.place;

  suite.test('promises.stable', 'tells the same guarantees twice, as plain data', async (place) => {
    const again = await place.backend.guarantees();
    expect(again).toEqual(place.guarantees);
    expect(JSON.parse(JSON.stringify(again))).toEqual(again);
  });

  suite.test('promises.limits', 'says how each limit is held, or why it is not', async (place) => {
    expect(Object.keys(place.guarantees.limits).toSorted()).toEqual(['cpuCores', 'diskBytes', 'memoryBytes', 'pids']);
    for (const limit of Object.values(place.guarantees.limits)) {
      expect((limit.enforced ? limit.by : limit.reason).length).toBeGreaterThan(3);
    }
  });

  suite.test('promises.check', 'is ready, and says so in a sentence', async (place) => {
    const check = await place.backend.check();
    expect(check.status).toBe('ready');
    expect(check.summary.length).toBeGreaterThan(10);
    expect(check.remedy).toBeNull();
    for (const finding of check.findings) expect(finding.remedy.length).toBeGreaterThan(3);
  });

  suite.test('promises.aborted', 'does not look when the caller has given up already', async (place) => {
    const signal = AbortSignal.abort();
    await expect(place.backend.list({ instance: place.instance, signal })).rejects.toMatchObject({ code: 'canceled' });
    await expect(place.backend.guarantees({ signal })).rejects.toMatchObject({ code: 'canceled' });
  });

  for (const [control, patch] of beyond(suite.place)) {
    suite.absent(
      `promises.refuses-${control}`,
      `refuses a spec that asks for ${control}, and makes nothing`,
      async (place) => {
        const before = await place.listed();
        const error: unknown = await place.create({ spec: patch }).catch((thrown: unknown) => thrown);
        expect(isCode(error, 'not_supported')).toBe(true);
        expect(await place.listed()).toEqual(before);
      },
    );
  }

  if (!guarantees.hardening.runtimes.includes('conformance-no-such-runtime')) {
    suite.test(
      'promises.refuses-unknown-runtime',
      'refuses a runtime that it does not have, and makes nothing',
      async (place) => {
        const before = await place.listed();
        const hardening = { ...place.subject.spec.hardening, runtime: 'conformance-no-such-runtime' };
        await expect(place.create({ spec: { hardening } })).rejects.toMatchObject({ code: 'not_supported' });
        expect(await place.listed()).toEqual(before);
      },
    );
  }
}

/** One spec for each control that the place does not promise. */
function beyond(place: Place): readonly (readonly [string, Partial<Spec>])[] {
  const { guarantees } = place;
  const { limits, hardening } = place.subject.spec;
  const wanted = { cpuCores: 1, memoryBytes: 256 * 2 ** 20, diskBytes: 2 ** 30, pids: 64 } as const;
  const names = ['cpuCores', 'memoryBytes', 'diskBytes', 'pids'] as const;
  return [
    ...names.flatMap((name) =>
      guarantees.limits[name].enforced ? [] : [[name, { limits: { ...limits, [name]: wanted[name] } }] as const],
    ),
    ...(guarantees.network.includes('none') ? [] : [['network-none', { network: 'none' }] as const]),
    ...(guarantees.mounts === 'none'
      ? [['mounts', { mounts: [{ source: '/usr', target: '/mnt', readOnly: true }] }] as const]
      : []),
    ...(guarantees.hardening.readOnlyRoot
      ? []
      : [['read-only-root', { hardening: { ...hardening, readOnlyRoot: true } }] as const]),
    ...(guarantees.hardening.shm ? [] : [['shm', { hardening: { ...hardening, shmBytes: 2 ** 24 } }] as const]),
  ];
}
