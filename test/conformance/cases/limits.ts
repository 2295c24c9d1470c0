import { expect } from 'vitest';
import type { Limits } from '../../../src/backend.ts';
import { finish, run, sh, start } from '../command.ts';
import type { Place } from '../place.ts';
import type { Suite } from '../suite.ts';

const mebibyte = 2 ** 20;

/** Only of limits that the place says it enforces; asking for others is tested with its promises. */
export function limitCases(suite: Suite): void {
  const { limits } = suite.place.guarantees;

  if (limits.pids.enforced) {
    suite.test('limits.pids', 'stops a fork bomb at the limit, and the sandbox lives on (RL-01)', async (place) => {
      const sandbox = await limited(place, { pids: 40 });
      const bomb = 'i=0; while [ $i -lt 200 ]; do sleep 3 & i=$((i+1)); done 2>/dev/null; echo all';
      const { stdout } = await sh(sandbox, `(${bomb}); set -- /proc/[0-9]*; echo $#`);
      expect(stdout.toString()).not.toContain('all');
      expect(Number(stdout.toString().trim().split('\n').at(-1))).toBeLessThanOrEqual(40);
      expect(Number(stdout.toString().trim().split('\n').at(-1))).toBeGreaterThan(20);
      await new Promise((resolve) => setTimeout(resolve, 3500));
      expect((await run(sandbox, ['true'])).exitCode).toBe(0);
      await place.destroy(sandbox);
    });
  }

  if (limits.memoryBytes.enforced) {
    suite.test(
      'limits.memory',
      'ends a command that takes too much memory, says why, and lives on (RL-03, RL-04)',
      async (place) => {
        const sandbox = await limited(place, { memoryBytes: 64 * mebibyte });
        const modest = await run(sandbox, ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=16M', 'count=1']);
        expect(modest).toMatchObject({ exitCode: 0, outOfMemory: false });
        const greedy = await run(sandbox, ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=200M', 'count=1']);
        expect(greedy.exitCode === 137 || greedy.signal === 'SIGKILL').toBe(true);
        expect(greedy.outOfMemory).toBe(true);
        expect(await run(sandbox, ['echo', 'alive'])).toMatchObject({ exitCode: 0, outOfMemory: false });
        await place.destroy(sandbox);
      },
    );

    suite.test(
      'limits.memory-not-guessed',
      'does not take a SIGKILL of the command itself for memory',
      async (place) => {
        const sandbox = await limited(place, { memoryBytes: 64 * mebibyte });
        expect((await sh(sandbox, 'kill -9 $$')).outOfMemory).toBe(false);
        expect((await sh(sandbox, 'exit 137')).outOfMemory).toBe(false);
        await place.destroy(sandbox);
      },
    );
  } else {
    suite.absent('limits.memory-told', 'never says out of memory where no memory limit is held', async (place) => {
      expect((await sh(await place.sandbox(), 'kill -9 $$')).outOfMemory).toBe(false);
    });
  }

  if (limits.cpuCores.enforced) {
    suite.test('limits.cpu', 'gives a busy loop no more than its share of a core (RL-13)', async (place) => {
      const sandbox = await limited(place, { cpuCores: 0.2 });
      const text = '(while :; do :; done) & p=$!; sleep 2; read -r stat </proc/$p/stat; kill -9 $p; echo "$stat"';
      const started = performance.now();
      const { stdout } = await finish(await start(sandbox, ['sh', '-c', text]));
      const seconds = (performance.now() - started) / 1000;
      const fields = stdout.toString().split(') ').at(-1)?.split(' ') ?? [];
      const busySeconds = (Number(fields[11]) + Number(fields[12])) / 100;
      expect(busySeconds).toBeGreaterThan(0.02);
      expect(busySeconds).toBeLessThan(0.2 * seconds * 1.5 + 0.15);
      await place.destroy(sandbox);
    });
  }

  if (limits.diskBytes.enforced) {
    suite.test('limits.disk', 'refuses to write more than the limit (RL-06)', async (place) => {
      const sandbox = await limited(place, { diskBytes: 64 * mebibyte });
      const { exitCode } = await sh(
        sandbox,
        'head -c 134217728 /dev/urandom >/conformance-big; status=$?; rm -f /conformance-big; exit $status',
      );
      expect(exitCode).not.toBe(0);
      expect(
        (await sh(sandbox, 'head -c 8388608 /dev/urandom >/conformance-small && rm /conformance-small')).exitCode,
      ).toBe(0);
      await place.destroy(sandbox);
    });
  }
}

function limited(place: Place, patch: Partial<Limits>): ReturnType<Place['create']> {
  return place.create({ spec: { limits: { ...place.subject.spec.limits, ...patch } } });
}
