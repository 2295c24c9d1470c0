import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
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
    const { ref } = await place.stop(sandbox);
    const stopped = await (await place.another()).attach(ref);
    expect(stopped.state).toBe('stopped');
    // Another resource may be gone by then.
    const refused = {
      code: expect.stringMatching(ref === sandbox.ref ? /^failed_precondition$/ : /^(failed|not_found)/),
    };
    await expect(run(sandbox, ['true'])).rejects.toMatchObject(refused);
    await expect(run(stopped, ['true'])).rejects.toMatchObject({ code: 'failed_precondition' });
    const again = await place.start(stopped);
    expect((await place.backend.attach(again.ref)).state).toBe('running');
    expect((await run(again, ['echo', 'again'])).stdout.toString()).toBe('again\n');
    if (ref === sandbox.ref) expect((await run(sandbox, ['true'])).exitCode).toBe(0);
    await place.destroy(again);
  });

  suite.test(
    'power.listed',
    'lists a sandbox that is stopped as such, by the ref that attaches to it',
    async (place) => {
      const { ref } = await place.stop(await place.create());
      expect((await place.listed()).find((listed) => isDeepStrictEqual(listed.ref, ref))?.state).toBe('stopped');
    },
  );

  suite.test('power.twice', 'stops twice and starts twice', async (place) => {
    const stopped = await place.stop(await place.stop(await place.create()));
    const started = await place.start(await place.start(stopped));
    expect((await run(started, ['true'])).exitCode).toBe(0);
    await place.destroy(started);
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
      const stopped = await place.stop(sandbox);
      expect(await end).not.toMatchObject({ exitCode: 0 });
      const again = await place.start(stopped);
      expect(Number((await sh(again, find)).stdout)).toBe(0);
      process.release();
      await place.destroy(again);
    },
  );

  suite.test('power.gone', 'tells not_found for starting a sandbox that is gone', async (place) => {
    const sandbox = await place.create();
    await place.destroy(sandbox);
    await expect(place.start(sandbox)).rejects.toMatchObject({ code: 'not_found' });
  });
}
