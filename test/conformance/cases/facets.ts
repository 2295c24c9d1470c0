import { expect } from 'vitest';
import { finish, eventually, readUntil, sh } from '../command.ts';
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
      const isKilled = async (): Promise<boolean> => {
        await sandbox.memory?.look?.();
        return (sandbox.memory?.kills() ?? 0) > 0;
      };
      expect(await eventually(isKilled)).toBe(true);
      await place.destroy(sandbox);
    });
  }

  if (facets.pipes) {
    suite.test('facets.pipes', 'runs a command over pipes as it runs one otherwise', async (place) => {
      const sandbox = await place.sandbox();
      const pipes = sandbox.pipes ?? expect.fail('the pipes facet is missing on this object');
      const script = 'head -c 3000000 /dev/zero; printf "\\377+" >&2; cat; exit 7';
      const over = async (way: Pick<typeof pipes, 'exec'>): Promise<unknown> => {
        const process = await way.exec(['sh', '-c', script], { cwd: '/tmp', env: {}, stdin: true });
        process.stdin?.end('what it reads');
        return await finish(process);
      };
      expect(await over(pipes)).toEqual(await over(sandbox));
    });

    suite.test('facets.pipes-kill', 'ends a command over pipes by a signal, and its streams with it', async (place) => {
      const { pipes } = await place.sandbox();
      const process = await pipes?.exec(['sleep', '600'], { cwd: '/', env: {}, stdin: true });
      await process?.kill('SIGKILL');
      expect(await finish(process ?? expect.fail('no process'))).toMatchObject({ exitCode: 137 });
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
