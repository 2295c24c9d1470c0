/** A machine on which the end of a lane's shell is known before what it wrote has been read. */
import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Process, ProcessEnd, Sandbox } from '../../../src/backend.ts';
import { LanedSandbox } from '../../../src/exec/lane/laned.ts';
import { run } from '../../conformance/command.ts';
import { spawnedSandbox } from '../spawned-sandbox.ts';

const lateMs = 40;
const pieces = 5;

/** What is written once `onWritten` says so arrives late, in pieces with pauses between them. */
function late(source: Readable, onWritten: () => boolean): Readable {
  const out = new PassThrough();
  const passing = async (): Promise<void> => {
    for await (const chunk of source) {
      const whole: Buffer = Buffer.from(chunk);
      const size = onWritten() ? Math.ceil(whole.length / pieces) : whole.length;
      for (let at = 0; at < whole.length; at += size) {
        if (size < whole.length) await sleep(lateMs);
        out.write(whole.subarray(at, at + size));
      }
    }
    out.end();
  };
  passing().catch(() => out.end());
  return out;
}

/** From `arm` on, the word that the shell of a lane has ended comes before what it wrote last. */
function dyingLanes(): { readonly sandbox: Sandbox; readonly arm: () => void } {
  const inner = spawnedSandbox();
  let isArmed = false;
  const dying = (process: Process): Process => {
    const ended = Promise.withResolvers<ProcessEnd>();
    const onWritten = (): boolean => {
      if (isArmed) ended.resolve({ exitCode: 79, signal: null, outOfMemory: false });
      return isArmed;
    };
    return {
      stdin: process.stdin,
      stdout: late(process.stdout, onWritten),
      stderr: late(process.stderr, onWritten),
      wait: () => ended.promise,
      outputs: () => process.outputs(),
      kill: (signal) => process.kill(signal),
      release: () => process.release(),
    };
  };
  return {
    sandbox: {
      ...inner,
      exec: async (command, options) => {
        const process = await inner.exec(command, options);
        return options.env['CAISSON_EXEC'] === 'lane' && !isArmed ? dying(process) : process;
      },
    },
    arm: () => (isArmed = true),
  };
}

it(
  'a command whose lane has ended is lost only when its last word does not come (R12)',
  { timeout: 30_000 },
  async () => {
    const { sandbox, arm } = dyingLanes();
    const laned = new LanedSandbox(sandbox, null);
    try {
      for (let index = 0; index < 2; index += 1) await run(laned, ['true']);
      expect(laned.lanes).toBeGreaterThan(0);
      arm();
      expect(await run(laned, ['sh', '-c', 'echo whole; exit 3'])).toMatchObject({
        exitCode: 3,
        stdout: Buffer.from('whole\n'),
      });
      // The next one is not given to a shell that has ended.
      expect(await run(laned, ['sh', '-c', 'exit 4'])).toMatchObject({ exitCode: 4 });
    } finally {
      laned.close();
    }
  },
);

it('a command whose lane is gone for good is lost, soon', { timeout: 30_000 }, async () => {
  const laned = new LanedSandbox(spawnedSandbox(), null);
  try {
    for (let index = 0; index < 2; index += 1) await run(laned, ['true']);
    const process = await laned.exec(['sh', '-c', 'kill -9 $PPID; sleep 30'], { cwd: '/', env: {}, stdin: false });
    process.stdout.resume();
    process.stderr.resume();
    const from = performance.now();
    await expect(process.wait()).rejects.toMatchObject({ code: 'unavailable' });
    expect(performance.now() - from).toBeLessThan(5000);
  } finally {
    laned.close();
  }
});
