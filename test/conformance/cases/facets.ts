import { expect } from 'vitest';
import { eventually, readUntil, sh } from '../command.ts';
import type { Suite } from '../suite.ts';

export function facetCases(suite: Suite): void {
  const { facets, guarantees } = suite.place;

  if (facets.stats) {
    suite.test(
      'facets.stats',
      'reads what the sandbox uses, unknown as null and never as zero by default',
      async (place) => {
        const sandbox = await place.sandbox();
        const stats = await sandbox.stats?.read();
        expect(Object.keys(stats ?? {}).toSorted()).toEqual([
          'cpuNanos',
          'memoryBytes',
          'memoryLimitBytes',
          'networkReceivedBytes',
          'networkSentBytes',
          'pids',
          'pidsLimit',
        ]);
        for (const value of Object.values(stats ?? {}))
          expect(value === null || (Number.isFinite(value) && value >= 0)).toBe(true);
      },
    );

    suite.test('facets.stats-gone', 'tells not_found for a sandbox that is gone', async (place) => {
      const sandbox = await place.create();
      await place.destroy(sandbox);
      await expect(sandbox.stats?.read()).rejects.toMatchObject({ code: 'not_found' });
    });
  } else {
    suite.absent('facets.stats-absent', 'has no stats facet, also on an attached sandbox', async (place) => {
      const sandbox = await place.sandbox();
      expect((await place.backend.attach(sandbox.ref)).stats).toBeUndefined();
    });
  }

  if (facets.stats && guarantees.limits.memoryBytes.enforced) {
    suite.test('facets.stats-limits', 'reads the limits that were asked for', async (place) => {
      const limits = { ...place.subject.spec.limits, memoryBytes: 96 * 2 ** 20 };
      const sandbox = await place.create({ spec: { limits } });
      expect((await sandbox.stats?.read())?.memoryLimitBytes).toBe(96 * 2 ** 20);
      await place.destroy(sandbox);
    });
  }

  if (facets.memory) {
    suite.test('facets.memory', 'counts what the kernel has killed in the sandbox for memory', async (place) => {
      const limits = { ...place.subject.spec.limits, memoryBytes: 64 * 2 ** 20 };
      const sandbox = await place.create({ spec: { limits } });
      expect(sandbox.memory?.kills()).toBe(0);
      await sh(sandbox, 'kill -9 $$');
      expect(sandbox.memory?.kills()).toBe(0);
      await sh(sandbox, 'dd if=/dev/zero of=/dev/null bs=200M count=1; true');
      expect(await eventually(() => (sandbox.memory?.kills() ?? 0) > 0)).toBe(true);
      await place.destroy(sandbox);
    });
  }

  if (facets.init) {
    suite.test('facets.init', 'gives the first process with its streams from the first byte on', async (place) => {
      const init: [string, ...string[]] = [
        'sh',
        '-c',
        'echo first; while read -r line; do echo "got $line"; done; sleep 2147483',
      ];
      const sandbox = await place.create({ options: { init } });
      if (sandbox.init === undefined) throw new Error('the init facet is missing on this object');
      expect(await readUntil(sandbox.init.stdout, 'first\n')).toBe('first\n');
      sandbox.init.stdin?.write('hello\n');
      expect(await readUntil(sandbox.init.stdout, '\n')).toBe('got hello\n');
      await place.destroy(sandbox);
    });
  }
}
