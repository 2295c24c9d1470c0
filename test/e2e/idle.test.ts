/** The first command after the idle time, by a fresh process and in a long-lived one. `CAISSON_LOAD_IDLE` sets how many. */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeHome } from './home.ts';

const times = Number(process.env['CAISSON_LOAD_IDLE'] ?? 3);
const copyMegabytes = Number(process.env['CAISSON_LOAD_COPY_MB'] ?? 200);
const lifetime = { CAISSON_TERMINAL_LIFETIME_SECONDS: '1' };

describe('the first command after the idle time', () => {
  it('works by a fresh process, whose sweep finds the sandbox idle', { timeout: 600_000 }, async () => {
    await using home = await makeHome();
    expect(await home.cli(['create', '--task', 't'], '', lifetime)).toMatchObject({ code: 0 });
    for (let index = 0; index < times; index += 1) {
      await sleep(1_500);
      const ran = await home.cli(['exec', 't', '--', 'sh', '-c', 'sleep 0.4; echo done'], '', lifetime);
      expect(ran).toMatchObject({ code: 0, stdout: 'done\n' });
    }
  });

  it('works in a long-lived process, while others sweep', { timeout: 600_000 }, async () => {
    await using home = await makeHome();
    const caisson = await home.open({}, lifetime);
    await caisson.sandboxes.create({ taskId: 't' });
    for (let index = 0; index < times; index += 1) {
      await sleep(1_300);
      const swept = home.cli(['gc'], '', lifetime);
      const { exit, stdout } = await caisson.run({ taskId: 't', command: ['sh', '-c', 'sleep 0.4; echo done'] });
      expect({ reason: exit.reason, text: stdout.text }).toEqual({ reason: 'exited', text: 'done\n' });
      await swept;
    }
  });

  it('finds a copy across the idle time whole, in both directions', { timeout: 600_000 }, async () => {
    await using home = await makeHome();
    const files = await mkdtemp(join(tmpdir(), 'caisson-copy-'));
    onTestFinished(() => rm(files, { recursive: true }));
    const [sent, returned] = [join(files, 'sent'), join(files, 'returned')];
    await writeRandom(sent, copyMegabytes);
    const caisson = await home.open({}, lifetime);
    await caisson.sandboxes.create({ taskId: 't' });
    const sweeps = new AbortController();
    const swept = sweepUntil(sweeps.signal, () => home.cli(['gc'], '', lifetime));
    const began = performance.now();
    await caisson.files.copyIn({ task: 't', source: sent, target: '/workspace/file' });
    await caisson.files.copyOut({ task: 't', source: '/workspace/file', target: returned });
    const tookMs = performance.now() - began;
    sweeps.abort();
    await swept;
    expect(tookMs).toBeGreaterThan(1_000);
    expect(await digest(returned)).toBe(await digest(sent));
    await caisson.sandboxes.remove('t');
  });

  it('says who stopped a sandbox under a command', { timeout: 60_000 }, async () => {
    await using home = await makeHome();
    const caisson = await home.open();
    await caisson.sandboxes.create({ taskId: 't' });
    const running = await caisson.exec({ taskId: 't', command: ['sleep', '30'] });
    running.ignore();
    expect(await home.cli(['stop', 't'])).toMatchObject({ code: 0 });
    expect((await running.exit).notes.join()).toMatch(/the sandbox was stopped by caisson stop \(process \d+\)/);
  });
});

async function writeRandom(path: string, megabytes: number): Promise<void> {
  await using file = await open(path, 'w');
  for (let index = 0; index < megabytes; index += 1) await file.write(randomBytes(1024 * 1024));
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

async function sweepUntil(signal: AbortSignal, sweep: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await sweep();
    await sleep(300);
  }
}
