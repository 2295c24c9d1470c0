/** Several hosts: real sshds, each with files of its own at the same path, and the whole service on them. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Caisson } from '../../../src/service/caisson.ts';
import { openCaisson } from '../../../src/main.ts';
import { hasSshd, type Sshd, startSshd } from '../../engines/sshd.ts';

interface Hosts {
  readonly [name: string]: Readonly<Record<string, unknown>>;
}

/** A mount of its own for each sshd needs root, as the suite's own engines do. */
describe.skipIf(!hasSshd() || process.getuid?.() !== 0)('a pool of hosts', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'caisson-pool-'));
  const state = join(scratch, 'state');
  const [home, account] = [join(scratch, 'caisson'), join(scratch, 'account')];
  const running = new Map<string, Sshd>();
  const opened: Caisson[] = [];

  beforeAll(async () => {
    for (const path of [state, home, join(account, '.ssh')]) mkdirSync(path, { recursive: true });
    for (const name of ['one', 'two']) running.set(name, await startHost(name));
    know();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });
  afterAll(async () => {
    await Promise.all([...running.values()].map((each) => each.stop()));
    rmSync(scratch, { recursive: true });
  });

  /** What it keeps is on a file system that no other host has. */
  async function startHost(name: string): Promise<Sshd> {
    const disk = join(scratch, `disk-${name}`);
    mkdirSync(disk);
    const sshd = await startSshd([`SetEnv HOME=/ XDG_STATE_HOME=${state}`], (command) => [
      ...['unshare', '--mount', '--propagation', 'private', 'sh', '-c', `mount --bind ${disk} ${state} && exec "$@"`],
      ...['sh', ...command],
    ]);
    copyFileSync(sshd.settings.key, keyOf(name));
    return sshd;
  }

  /** Outlives its host. */
  const keyOf = (name: string): string => join(scratch, `key-${name}`);

  function know(): void {
    const lines = [...running].map(([name, { port }]) => `Host ${name}\n  HostName 127.0.0.1\n  Port ${port}\n`);
    writeFileSync(join(account, '.ssh/config'), lines.join(''));
    const keys = [...running.values()].map(({ port, hostKey }) => `[127.0.0.1]:${port} ${hostKey}\n`);
    writeFileSync(join(account, '.ssh/known_hosts'), keys.join(''));
  }

  async function service(more: Hosts = {}): Promise<Caisson> {
    const hosts = Object.fromEntries([...running.keys()].map((name) => [name, { key: keyOf(name), ...more[name] }]));
    writeFileSync(join(home, 'config.yaml'), `terminal: {backend: ssh, ssh_hosts: ${JSON.stringify(hosts)}}\n`);
    const env = { PATH: process.env['PATH'] ?? '', HOME: account };
    const made = await openCaisson({ home, env, cwd: home });
    opened.push(made);
    return made;
  }

  async function hostOf(caisson: Caisson, taskId: string): Promise<string> {
    const { where, stdout } = await caisson.run({ taskId, command: ['sh', '-c', 'touch ran; echo $PWD'] });
    expect(stdout.text.trim()).toBe(where.resource);
    return /@(.*):\d+$/.exec(where.host ?? '')?.[1] ?? '';
  }

  it('shares new tasks out, and each stays where it began, also for the next service', async () => {
    let caisson = await service();
    const began = new Map<string, string>();
    for (const task of ['a', 'b', 'c', 'd']) began.set(task, await hostOf(caisson, task));
    expect([...began.values()].toSorted()).toEqual(['one', 'one', 'two', 'two']);
    await caisson.close();
    caisson = await service({ one: { drain: true } });
    for (const [task, host] of began) expect(await hostOf(caisson, task)).toBe(host);
    expect((await caisson.sandboxes.list()).items).toHaveLength(4);
    for (const task of began.keys()) await caisson.sandboxes.remove(task);
  });

  it('finds the files of a task again when its sandbox was removed and they were kept', async () => {
    let caisson = await service();
    const first = await hostOf(caisson, 'kept');
    await caisson.sandboxes.remove('kept', { keepFiles: true });
    await caisson.close();
    caisson = await service({ [first]: { drain: true } });
    expect(await hostOf(caisson, 'kept')).toBe(first);
    expect((await caisson.run({ taskId: 'kept', command: ['ls'] })).stdout.text).toBe('ran\n');
    await caisson.sandboxes.remove('kept');
  });

  it('puts nothing new on a host that is drained, and nothing beyond a capacity, also for many at once', async () => {
    const caisson = await service({ one: { drain: true }, two: { capacity: 3 } });
    const made = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) => caisson.sandboxes.create({ taskId: `many-${index}` })),
    );
    const failures = made.filter(({ status }) => status === 'rejected');
    expect(failures.length).toBeGreaterThanOrEqual(3);
    for (const failure of failures) expect(failure).toMatchObject({ reason: { code: 'resource_exhausted' } });
    const there = (await caisson.sandboxes.list()).items;
    expect(there.length).toBeLessThanOrEqual(3);
    for (const { taskId } of there) {
      expect(await hostOf(caisson, taskId)).toBe('two');
      await caisson.sandboxes.remove(taskId);
    }
  });

  it('is reported by doctor host by host, and goes on where one is down', async () => {
    const caisson = await service({ one: { capacity: 8 }, two: { drain: true } });
    const [reported] = await caisson.backends.check(['ssh']);
    expect(reported?.check).toMatchObject({
      status: 'ready',
      summary: '1 of 2 hosts take new tasks',
      facts: { one: expect.stringContaining('ready, capacity 8'), two: expect.stringContaining('drained') },
    });
    expect(await hostOf(caisson, 'stays')).toBe('one');
    await caisson.close();
    await running.get('two')?.stop();
    const later = await service();
    expect(await hostOf(later, 'stays')).toBe('one');
    expect((await later.backends.check(['ssh']))[0]?.check).toMatchObject({
      status: 'ready',
      findings: expect.arrayContaining([expect.objectContaining({ id: 'host-two', severity: 'error' })]),
    });
    // Its files may be on the host that is down.
    await expect(later.sandboxes.create({ taskId: 'new' })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('the task new may have files on that host'),
    });
    expect((await later.run({ command: ['echo', 'fine'] })).stdout.text).toBe('fine\n');
    await later.sandboxes.remove('stays');
  });
});
