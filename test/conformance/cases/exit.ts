import fc from 'fast-check';
import { expect } from 'vitest';
import { expectEndedBy, run, sh } from '../command.ts';
import type { Suite } from '../suite.ts';

export function exitCases(suite: Suite): void {
  suite.test('exit.codes', 'tells every kind of exit code as it is (OH-10)', async (place) => {
    const sandbox = await place.sandbox();
    for (const code of [0, 1, 2, 42, 124, 125, 126, 127, 128, 130, 137, 143, 254, 255]) {
      expect(await sh(sandbox, `exit ${code}`)).toMatchObject({ exitCode: code, signal: null, outOfMemory: false });
    }
  });

  suite.test('exit.property', 'tells any exit code from 0 to 255', async (place) => {
    const sandbox = await place.sandbox();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 255 }), async (code) => {
        expect((await sh(sandbox, `exit ${code}`)).exitCode).toBe(code);
      }),
      { numRuns: 5 },
    );
  });

  for (const signal of ['SIGTERM', 'SIGKILL', 'SIGSEGV', 'SIGHUP'] as const) {
    suite.test(`exit.${signal.toLowerCase()}`, `tells that a command ended itself by ${signal}`, async (place) => {
      const result = await sh(await place.sandbox(), `kill -${signal.slice(3)} $$; sleep 5`);
      expectEndedBy(result, signal);
      expect(result.outOfMemory).toBe(false);
    });
  }

  suite.test('exit.again', 'tells the end any number of times, also when it is long over', async (place) => {
    const sandbox = await place.sandbox();
    const process = await sandbox.exec(['sh', '-c', 'exit 7'], { cwd: '/', env: {}, stdin: false });
    process.stdout.resume();
    process.stderr.resume();
    const ends = await Promise.all([process.wait(), process.wait()]);
    process.release();
    expect([...ends, await process.wait()].map(({ exitCode }) => exitCode)).toEqual([7, 7, 7]);
  });

  suite.test('exit.unread', 'tells the end of a command whose short output has no reader', async (place) => {
    const sandbox = await place.sandbox();
    const process = await sandbox.exec(['sh', '-c', 'echo short; echo short >&2; exit 5'], {
      cwd: '/',
      env: {},
      stdin: false,
    });
    expect((await process.wait()).exitCode).toBe(5);
    process.release();
  });

  suite.test('exit.true', 'tells success and failure of programs without a shell', async (place) => {
    const sandbox = await place.sandbox();
    expect((await run(sandbox, ['true'])).exitCode).toBe(0);
    expect((await run(sandbox, ['false'])).exitCode).toBe(1);
  });
}
