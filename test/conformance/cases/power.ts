import { expect } from 'vitest';
import type { Sandbox } from '../../../src/backend.ts';
import { eventually, run, sh, start } from '../command.ts';
import type { Suite } from '../suite.ts';

export function powerCases(suite: Suite): void {
  if (!suite.place.facets.power) {
    suite.absent('power.absent', 'has no power facet, also on an attached sandbox', async (place) => {
      const sandbox = await place.sandbox();
      expect((await place.backend.attach(sandbox.ref)).power).toBeUndefined();
    });
    return;
  }

  suite.test('power.stop', 'stops, tells it, refuses commands, starts again', async (place) => {
    const sandbox = await place.create();
    await powerOf(sandbox).stop();
    const stopped = await (await place.another()).attach(sandbox.ref);
    expect(stopped.state).toBe('stopped');
    expect((await place.listed()).find(({ ref }) => JSON.stringify(ref) === JSON.stringify(sandbox.ref))?.state).toBe(
      'stopped',
    );
    await expect(run(sandbox, ['true'])).rejects.toMatchObject({ code: 'failed_precondition' });
    await expect(run(stopped, ['true'])).rejects.toMatchObject({ code: 'failed_precondition' });
    await powerOf(stopped).start();
    expect((await place.backend.attach(sandbox.ref)).state).toBe('running');
    expect((await run(sandbox, ['echo', 'again'])).stdout.toString()).toBe('again\n');
    await place.destroy(sandbox);
  });

  suite.test('power.twice', 'stops twice and starts twice', async (place) => {
    const sandbox = await place.create();
    await powerOf(sandbox).stop();
    await powerOf(sandbox).stop();
    await powerOf(sandbox).start();
    await powerOf(sandbox).start();
    expect((await run(sandbox, ['true'])).exitCode).toBe(0);
    await place.destroy(sandbox);
  });

  suite.test(
    'power.processes',
    'ends every process when it stops, also those in sessions of their own',
    async (place) => {
      const sandbox = await place.create();
      const mark = `power-${place.instance}`;
      const process = await start(sandbox, ['sh', '-c', 'setsid sleep 300 & sleep 300'], {
        env: { CAISSON_EXEC: mark },
      });
      process.stdout.resume();
      process.stderr.resume();
      const find = `grep -lsz '^CAISSON_EXEC=${mark}$' /proc/[0-9]*/environ | wc -l`;
      expect(await eventually(async () => Number((await sh(sandbox, find)).stdout) >= 2)).toBe(true);
      const end = process.wait().catch((error: unknown) => error);
      await powerOf(sandbox).stop();
      expect(await end).not.toMatchObject({ exitCode: 0 });
      await powerOf(sandbox).start();
      expect(Number((await sh(sandbox, find)).stdout)).toBe(0);
      process.release();
      await place.destroy(sandbox);
    },
  );

  suite.test('power.gone', 'tells not_found for starting a sandbox that is gone', async (place) => {
    const sandbox = await place.create();
    await place.destroy(sandbox);
    await expect(powerOf(sandbox).start()).rejects.toMatchObject({ code: 'not_found' });
  });
}

function powerOf(sandbox: Sandbox): NonNullable<Sandbox['power']> {
  if (sandbox.power === undefined) throw new Error('the power facet is missing on this object');
  return sandbox.power;
}
