import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { isCode } from '../../../src/errors.ts';
import { eventually, sh } from '../command.ts';
import type { Suite } from '../suite.ts';

export function abortCases(suite: Suite): void {
  suite.test('abort.create', 'leaves nothing when creation is aborted, at whatever moment', async (place) => {
    for (const delayMs of [0, 1, 5, 20, 60, 150, 300]) {
      const controller = new AbortController();
      const options = place.options({ signal: controller.signal });
      const attempt = place.create({ options }).then((sandbox) => place.destroy(sandbox));
      const settled = Promise.allSettled([attempt]);
      await sleep(delayMs);
      controller.abort();
      doneOrCanceled(await settled);
      expect((await place.listed()).filter(({ labels }) => labels.sandbox === options.labels.sandbox)).toEqual([]);
    }
  });

  suite.test('abort.deadline', 'tells a deadline as timed_out', async (place) => {
    const signal = AbortSignal.timeout(0);
    await sleep(5);
    await expect(place.create({ options: { signal } })).rejects.toMatchObject({ code: 'timed_out' });
  });

  suite.test('abort.exec', 'starts no command when the caller has given up already', async (place) => {
    const sandbox = await place.sandbox();
    const file = `/tmp/conformance-${place.instance}-aborted`;
    const options = { cwd: '/', env: {}, stdin: false, signal: AbortSignal.abort() };
    await expect(sandbox.exec(['touch', file], options)).rejects.toMatchObject({ code: 'canceled' });
    await sleep(200);
    expect((await sh(sandbox, `[ -e ${file} ]`)).exitCode).toBe(1);
  });

  suite.test('abort.exec-midway', 'ends a command whose start was aborted midway', async (place) => {
    const sandbox = await place.sandbox();
    for (const delayMs of [0, 2, 10, 30]) {
      const controller = new AbortController();
      const env = { CAISSON_EXEC: `midway-${place.instance}-${delayMs}` };
      const attempt = sandbox.exec(['sleep', '77'], { cwd: '/', env, stdin: false, signal: controller.signal });
      const killing = attempt.then(async (process) => {
        await process.kill('SIGKILL');
        process.release();
      });
      const settled = Promise.allSettled([killing]);
      await sleep(delayMs);
      controller.abort();
      doneOrCanceled(await settled);
      // The start itself may still be under way in the place: what counts is that the command does not stay.
      const look = `sleep 0.3; grep -lsz '^CAISSON_EXEC=${env.CAISSON_EXEC}$' /proc/[0-9]*/environ`;
      expect(await eventually(async () => (await sh(sandbox, look)).stdout.length === 0)).toBe(true);
    }
  });
}

/** Outcomes are gathered from the start: a place that is quick may fail before the case looks. */
function doneOrCanceled(outcomes: readonly PromiseSettledResult<void>[]): void {
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(isCode(outcome.reason, 'canceled')).toBe(true);
}
