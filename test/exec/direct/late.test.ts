/** A place that gives up the streams of a process some time after its end, as an engine does: what is read late is whole all the same. */
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Process, Sandbox } from '../../../src/backend.ts';
import { startDirect } from '../../../src/exec/direct/start.ts';
import { shellDirectory, shells } from '../kill/shells.ts';
import { spawnedSandbox } from '../spawned-sandbox.ts';

const relayBytes = 16 * 2 ** 20;
const pieceBytes = 64 * 1024;
const dropMs = 20;
const large = 4_000_000;

/** Takes all that a process writes, and passes it on at the pace of the reader, until shortly after the end of the process. */
function relayed(source: Readable, isOver: () => boolean): Readable {
  const relay = source.pipe(new PassThrough({ highWaterMark: relayBytes }));
  const out = new PassThrough({ highWaterMark: pieceBytes });
  const passing = async (): Promise<void> => {
    for await (const chunk of relay) {
      const whole: Buffer = Buffer.from(chunk);
      for (let at = 0; at < whole.length; at += pieceBytes) {
        if (isOver()) return;
        if (!out.write(whole.subarray(at, at + pieceBytes))) await once(out, 'drain');
      }
    }
  };
  void passing()
    .catch(() => undefined)
    .then(() => out.end());
  return out;
}

function dropping(sandbox: Sandbox, dropsLate: true | undefined): Sandbox {
  const exec: Sandbox['exec'] = async (command, options) => {
    const process = await sandbox.exec(command, options);
    let isOver = false;
    void process.wait().then(async () => {
      await sleep(dropMs);
      isOver = true;
    });
    const over = (): boolean => isOver;
    const [stdout, stderr] = [relayed(process.stdout, over), relayed(process.stderr, over)];
    const { stdin } = process;
    return {
      stdin,
      stdout,
      stderr,
      wait: () => process.wait(),
      outputs: () => Promise.resolve({ is: 'unknown', why: 'a relay' }),
      kill: (signal) => process.kill(signal),
      release: () => process.release(),
    };
  };
  return { ...sandbox, exec, relay: true, ...(dropsLate === undefined ? {} : { dropsLate }) };
}

async function readSlowly(process: Process): Promise<{ readonly bytes: number; readonly is: string }> {
  process.stderr.resume();
  let bytes = 0;
  for await (const chunk of process.stdout) {
    bytes += chunk.length;
    await sleep(40);
  }
  const { is } = await process.outputs();
  return { bytes, is };
}

describe.each(shells)('output that is read late, under %s', (shell) => {
  const directory = shellDirectory(shell);
  afterAll(() => directory.remove());
  const start = async (dropsLate: true | undefined, text: string, stdin = false) =>
    await startDirect(dropping(spawnedSandbox(directory.path), dropsLate), ['sh', '-c', text], {
      cwd: '/',
      env: { CAISSON_EXEC: 'exec_1' },
      stdin,
    });

  it('is whole where the watcher lives until the marks have come (R5)', { timeout: 60_000 }, async () => {
    const process = await start(true, `head -c ${large} /dev/zero; exit 3`);
    expect(process.stdin).toBeNull();
    expect(await readSlowly(process)).toEqual({ bytes: large, is: 'ended' });
    expect(await process.wait()).toMatchObject({ exitCode: 3 });
  });

  it('is cut, and says so, where the input is the command’s', { timeout: 60_000 }, async () => {
    const process = await start(true, `cat; head -c ${large} /dev/zero`, true);
    process.stdin?.end('x');
    const { bytes, is } = await readSlowly(process);
    expect([is, bytes < large]).toEqual(['cut', true]);
  });

  it('costs no wait: the watcher ends with the last mark, and its command reads end of file at once', async () => {
    const from = performance.now();
    const process = await start(true, 'cat; echo done; echo done >&2');
    expect(await readSlowly(process)).toEqual({ bytes: 5, is: 'ended' });
    expect(await process.wait()).toMatchObject({ exitCode: 0 });
    expect(performance.now() - from).toBeLessThan(10_000);
  });

  it('ends with a reader that gives up', async () => {
    const process = await start(true, 'echo done');
    process.release();
    await process.wait();
  });
});
