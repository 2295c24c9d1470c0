/** Cases of the suite that Daytona cannot pass, and what it does instead. */
import { expect } from 'vitest';
import type { AccountEntry, Limits } from '../../../src/backend.ts';
import { run, sh } from '../../conformance/command.ts';
import type { Deviation, Place } from '../../conformance/place.ts';

const mebibyte = 2 ** 20;

export const daytonaDeviations: Readonly<Record<string, Deviation>> = {
  'limits.cpu': {
    reason: 'Daytona gives whole cores only: a part of one is rounded up',
    instead: async (place) => {
      const { entry, destroy } = await limited(place, { cpuCores: 0.2 });
      expect(entry?.cpuCores).toBe(1);
      await destroy();
    },
  },
  'limits.memory': {
    reason: 'Daytona gives whole GiB of memory only, rounded up, and does not report what the kernel killed for it',
    instead: async (place) => {
      const { entry, sandbox, destroy } = await limited(place, { memoryBytes: 64 * mebibyte });
      expect(entry?.memoryBytes).toBe(1024 * mebibyte);
      const take = (bytes: string) => run(sandbox, ['dd', 'if=/dev/zero', 'of=/dev/null', `bs=${bytes}`, 'count=1']);
      expect((await take('200M')).exitCode).toBe(0);
      expect(await take('1500M')).toMatchObject({ exitCode: 137, outOfMemory: false });
      await destroy();
    },
  },
  'limits.disk': {
    reason: 'Daytona gives whole GiB of disk only, rounded up',
    instead: async (place) => {
      const { sandbox, destroy } = await limited(place, { diskBytes: 64 * mebibyte });
      expect((await sh(sandbox, 'fallocate -l 128M /conformance-some && rm /conformance-some')).exitCode).toBe(0);
      expect((await sh(sandbox, 'fallocate -l 1100M /conformance-big')).exitCode).not.toBe(0);
      await destroy();
    },
  },
};

async function limited(place: Place, patch: Partial<Limits>) {
  const limits = { ...place.subject.spec.limits, ...patch };
  const sandbox = await place.create({ spec: { limits } });
  const all: readonly AccountEntry[] = (await place.backend.account?.list()) ?? [];
  const [mine] = (await place.listed()).filter(({ ref }) => JSON.stringify(ref) === JSON.stringify(sandbox.ref));
  const entry = all.find(({ labels }) => labels?.sandbox === mine?.labels.sandbox);
  return { sandbox, entry, destroy: () => place.destroy(sandbox) };
}
