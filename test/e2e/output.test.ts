import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { cli, makeHome, type Home } from './home.ts';

const megabytes = 256;
const block = Buffer.alloc(2 ** 20, 'abcdefghijklmnopqrstuvwxyz012345');
const flood = `b=abcdefghijklmnopqrstuvwxyz012345; i=0; while [ $i -lt 15 ]; do b=$b$b; i=$((i+1)); done; i=0; while [ $i -lt ${megabytes} ]; do printf %s "$b"; i=$((i+1)); done`;

/** Runs the command line, and tells what it printed and the most memory it held. */
async function measured(
  home: Home,
  args: readonly string[],
): Promise<{ readonly stdout: string; readonly peakMb: number }> {
  const child = spawn(process.execPath, [cli, ...args], {
    env: home.env,
    cwd: home.path,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  let peakMb = 0;
  const timer = setInterval(() => void peakOf(child.pid).then((mb) => (peakMb = Math.max(peakMb, mb))), 50);
  await once(child, 'close');
  clearInterval(timer);
  return { stdout: Buffer.concat(chunks).toString(), peakMb };
}

/** VmHWM of proc(5): the peak so far, so that looking now and then is enough. 0 when the process has gone. */
async function peakOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

describe('much output', () => {
  it(`keeps the process small and loses no byte of what is spilled: ${megabytes} MB in one exec`, async () => {
    await using home = await makeHome();
    const { stdout, peakMb } = await measured(home, ['run', '--task', 'flood', '-o', 'json', '--', 'sh', '-c', flood]);
    const { execId, exit } = JSON.parse(stdout);
    expect(exit).toMatchObject({
      reason: 'exited',
      exitCode: 0,
      stdout: { bytes: megabytes * 2 ** 20, truncated: true },
    });
    expect(peakMb).toBeGreaterThan(30);
    expect(peakMb).toBeLessThan(150);
    const [kept, expected] = [createHash('sha256'), createHash('sha256')];
    const caisson = await home.open();
    for await (const { event } of caisson.execs.logs(execId)) if (event.type === 'stdout') kept.update(event.bytes);
    for (let index = 0; index < megabytes; index += 1) expected.update(block);
    expect(kept.digest('hex')).toBe(expected.digest('hex'));
  });

  it('takes thousands of one-byte writes in stride', async () => {
    await using home = await makeHome();
    const caisson = await home.open();
    const { exit, stdout } = await caisson.run({
      command: ['sh', '-c', 'i=0; while [ $i -lt 20000 ]; do printf x; i=$((i+1)); done'],
    });
    expect(exit).toMatchObject({ reason: 'exited', exitCode: 0 });
    expect(stdout.text).toBe('x'.repeat(20_000));
  });
});
