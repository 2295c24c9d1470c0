import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Home, instanceOf, makeHome } from './home.ts';

const worker = fileURLToPath(new URL('crash-worker.ts', import.meta.url));
const failpoints = ['after-intent', 'after-create', 'after-ready', 'before-remove', 'after-remove', 'before-forget'];

async function started(home: Home, seed: number, extra: Readonly<Record<string, string>> = {}): Promise<ChildProcess> {
  const child = spawn(process.execPath, [worker, home.path, String(seed)], {
    env: { ...home.env, ...extra },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

/** What the next start owes: every resource has a row, every row is whole, and no file of an ephemeral task is left. */
async function expectNothingUnowned(home: Home): Promise<void> {
  const caisson = await home.open();
  const swept = async (): Promise<unknown> => {
    await caisson.sandboxes.gc({ dryRun: false });
    return await caisson.sandboxes.gc({ dryRun: true });
  };
  // A busy engine may still be making what a killed process has asked for.
  await expect.poll(swept, { timeout: 20_000, interval: 1000 }).toEqual([]);
  const rows = (await caisson.sandboxes.list()).items;
  expect(rows.filter((row) => row.state !== 'ready' || row.ephemeral)).toEqual([]);
  const inspected = await Promise.all(rows.map((row) => caisson.sandboxes.get(row.id)));
  expect([...(await home.containers())].toSorted()).toEqual(
    inspected.flatMap((view) => view.place?.resource ?? []).toSorted(),
  );
  const directories = (await readdir(join(home.path, 'sandboxes/docker')).catch(() => [])).filter(
    (name) => name !== 'tasks',
  );
  const tasks = await readdir(join(home.path, 'sandboxes/docker/tasks')).catch(() => []);
  expect(directories.length).toBe(tasks.length);
  await caisson.close();
  const networks = (await home.networks()).length;
  expect(networks).toBeLessThanOrEqual(rows.length === 0 ? 0 : 1);
}

/** Also the network that its sandboxes shared goes with the last of them, by any process. */
async function removeAll(home: Home): Promise<void> {
  const caisson = await home.open();
  for (const { taskId } of (await caisson.sandboxes.list()).items) await caisson.sandboxes.remove(taskId);
  await caisson.close();
  expect([await home.containers(), await home.networks()]).toEqual([[], []]);
}

const moments = Number(process.env['CAISSON_LOAD_MOMENTS'] ?? 10);

describe('a process that is killed', () => {
  it('leaves nothing unowned for the next start, at random moments (FR-01)', async () => {
    await using home = await makeHome();
    for (let round = 0; round < moments; round += 1) {
      const child = await started(home, round);
      await sleep(Math.random() * 900);
      child.kill('SIGKILL');
      await once(child, 'exit');
      if (round % 5 === 4) await expectNothingUnowned(home);
    }
    await removeAll(home);
  }, 300_000);

  it('leaves a network that gc lists and removes', { timeout: 60_000 }, async () => {
    await using home = await makeHome();
    const caisson = await home.open();
    await caisson.sandboxes.create({ taskId: 't' });
    await caisson.sandboxes.remove('t');
    const instance = await instanceOf(home.path);
    const name = `caisson-${instance.slice(0, 12)}`;
    await home.engine(['network', 'rm', name]).catch(() => '');
    await home.engine(['network', 'create', '--label', `caisson.instance=${instance}`, name]);
    const [listed] = await caisson.sandboxes.gc({ dryRun: true });
    expect(listed).toMatchObject({ kind: 'resource', backend: 'docker', why: expect.stringContaining('network') });
    expect(await home.networks()).toHaveLength(1);
    await caisson.sandboxes.gc({ dryRun: false });
    expect(await home.networks()).toEqual([]);
  });

  it.each(failpoints)('leaves nothing unowned when it dies at %s', async (name) => {
    await using home = await makeHome();
    const child = await started(home, 0, { CAISSON_TEST_FAILPOINT: `${name}:crash` });
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    await expectNothingUnowned(home);
    await removeAll(home);
  });
});
