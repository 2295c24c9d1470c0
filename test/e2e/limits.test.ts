import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import { btrfsHost, recountDisk } from '../engines/docker.ts';
import { makeHome } from './home.ts';

const mb = 2 ** 20;

/** The service, and another task on it, answer at once: what a bound is for. */
async function expectResponsive(caisson: Caisson): Promise<void> {
  const before = performance.now();
  const { stdout } = await caisson.run({ taskId: 'bystander', command: ['echo', 'fine'] });
  expect(stdout.text).toBe('fine\n');
  expect(performance.now() - before).toBeLessThan(5_000);
}

describe('limits hold against programs that break them', () => {
  it('memory: the program is killed, distinguished from any other end, and the sandbox goes on (RL-03, RL-04)', async () => {
    await using home = await makeHome();
    const caisson = await home.open();
    await caisson.run({ taskId: 'bystander', command: ['true'] });
    const limits = { memoryBytes: 64 * mb };
    const { exit } = await caisson.run({
      taskId: 'hog',
      limits,
      command: ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=200M', 'count=1'],
    });
    expect(exit).toMatchObject({ reason: 'out-of-memory', exitCode: 137 });
    await expectResponsive(caisson);
    const fits = await caisson.run({
      taskId: 'hog',
      limits,
      command: ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=20M', 'count=1'],
    });
    expect(fits.exit).toMatchObject({ reason: 'exited', exitCode: 0 });
    const killed = await caisson.run({ taskId: 'hog', limits, command: ['sh', '-c', 'kill -9 $$'] });
    expect(killed.exit).toMatchObject({ reason: 'exited', exitCode: 137, signal: 'SIGKILL', signalGuessed: true });
  });

  it('processes: a fork bomb stays in its sandbox, and is killed at its deadline (RL-01)', async () => {
    await using home = await makeHome();
    const caisson = await home.open();
    await caisson.run({ taskId: 'bystander', command: ['true'] });
    const bomb = caisson.run({
      taskId: 'bomb',
      limits: { pids: 64, cpuCores: 0.5 },
      timeoutMs: 3_000,
      command: ['sh', '-c', 'b() { b | b & }; (b) & while :; do :; done'],
    });
    await sleep(1_500);
    await expectResponsive(caisson);
    const { exit } = await bomb;
    expect(exit.reason).toBe('timed-out');
    expect(exit.survivors).toEqual([]);
    const after = await caisson.run({
      taskId: 'bomb',
      limits: { pids: 64, cpuCores: 0.5 },
      command: ['sh', '-c', 'ls -d /proc/[0-9]* | wc -l'],
    });
    expect(Number(after.stdout.text)).toBeLessThan(12);
    const before = performance.now();
    await caisson.sandboxes.remove('bomb');
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  it('processor: a busy loop gets its share and no more (RL-13)', async () => {
    await using home = await makeHome();
    const caisson = await home.open();
    const limits = { cpuCores: 0.25 };
    await caisson.run({ taskId: 'bystander', command: ['true'] });
    await caisson.sandboxes.create({ taskId: 'busy', limits });
    const loop = caisson.run({
      taskId: 'busy',
      limits,
      timeoutMs: 6_000,
      command: ['sh', '-c', 'while :; do :; done & while :; do :; done'],
    });
    await sleep(1_000);
    const [first, since] = [await caisson.sandboxes.stats('busy'), performance.now()];
    await expectResponsive(caisson);
    await sleep(2_000);
    const [second, elapsedMs] = [await caisson.sandboxes.stats('busy'), performance.now() - since];
    const share = ((second.cpuNanos ?? 0) - (first.cpuNanos ?? 0)) / 1e6 / elapsedMs;
    expect(share).toBeGreaterThan(0.05);
    expect(share).toBeLessThan(0.4);
    expect((await loop).exit.reason).toBe('timed-out');
  });

  it('temporary files: a tmpfs is full at its size (RL-05)', async () => {
    await using home = await makeHome();
    const caisson = await home.open();
    const { stdout } = await caisson.run({
      command: ['sh', '-c', 'dd if=/dev/zero of=/run/f bs=1M count=100 2>&1; stat -c %s /run/f'],
    });
    expect(stdout.text).toMatch(/No space left on device/);
    expect(Number(stdout.text.trim().split('\n').at(-1))).toBeLessThanOrEqual(64 * mb);
  });

  it('disk: a limit holds where the storage driver can hold it (RL-06)', async () => {
    const host = await btrfsHost();
    await using home = await makeHome(host);
    const caisson = await home.open();
    const limits = { diskBytes: 60 * mb };
    const { sandbox } = await caisson.sandboxes.create({ taskId: 'full', limits });
    expect(sandbox.degraded.filter((item) => !/workspace/.test(item.reason))).toEqual([]);
    const text = 'rm -f /big; sync; dd if=/dev/zero of=/big bs=1M count=200 2>&1; sync; stat -c %s /big';
    const fill = async () => {
      await recountDisk(host ?? ''); // Other tests remove limited containers of this engine meanwhile.
      return (await caisson.run({ taskId: 'full', limits, command: ['sh', '-c', text] })).stdout.text;
    };
    await expect.poll(fill, { timeout: 40_000 }).toMatch(/Disk quota exceeded|No space left/);
    const size = await caisson.run({ taskId: 'full', limits, command: ['stat', '-c', '%s', '/big'] });
    expect(Number(size.stdout.text)).toBeLessThanOrEqual(60 * mb);
    const after = await caisson.run({
      taskId: 'full',
      limits,
      command: ['sh', '-c', 'rm /big; echo again >/small; cat /small'],
    });
    expect(after.stdout.text).toBe('again\n');
  });
});
