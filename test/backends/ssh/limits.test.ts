/** Limits on a host that systemd runs: reported, held against what breaks them, and taken away at the end. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend, Limits, Sandbox } from '../../../src/backend.ts';
import { openCaisson } from '../../../src/main.ts';
import { parseEffective } from '../../../src/sandbox/effective.ts';
import { scriptOf } from '../../../src/inside/script.ts';
import { run, sh } from '../../conformance/command.ts';
import type { Sshd } from '../../engines/sshd.ts';
import { hasSystemd, startSystemdSshd } from '../../engines/systemd.ts';
import { makeSandbox, openOn } from './place.ts';

const mb = 2 ** 20;

describe.skipIf(!hasSystemd())('limits on a host with systemd', () => {
  let sshd: Sshd;
  let backend: Backend;
  const sandboxes: Sandbox[] = [];
  beforeAll(async () => {
    sshd = await startSystemdSshd();
    backend = openOn(sshd);
  });
  afterAll(async () => {
    await Promise.all(sandboxes.map((each) => each.destroy()));
    await backend.close();
    await sshd.stop();
  });

  async function limited(limits: Partial<Limits>): Promise<Sandbox> {
    const sandbox = await makeSandbox(backend, { limits });
    sandboxes.push(sandbox);
    return sandbox;
  }

  it('are promised as far as they were seen to hold, and no further', async () => {
    expect((await backend.guarantees()).limits).toMatchObject({
      cpuCores: { enforced: true },
      memoryBytes: { enforced: true },
      pids: { enforced: true },
      diskBytes: { enforced: false },
    });
    expect((await backend.check()).facts).toMatchObject({ limits: 'cpuCores memoryBytes pids' });
  });

  it('are what a sandbox measures of itself', async () => {
    const sandbox = await limited({ memoryBytes: 64 * mb, pids: 40, cpuCores: 0.5 });
    const { stdout } = await run(sandbox, ['sh', '-c', scriptOf('probe')]);
    expect(parseEffective(stdout.toString())?.limits).toMatchObject({
      memoryBytes: 64 * mb,
      pids: 40,
      cpuCores: 0.5,
    });
  });

  it('are what the service tells beside what was wanted', async () => {
    const home = mkdtempSync(join(tmpdir(), 'caisson-home-'));
    const { host, port, key } = sshd.settings;
    const flags = {
      'terminal.backend': 'ssh',
      'terminal.ssh_host': host,
      'terminal.ssh_port': port,
      'terminal.ssh_key': key,
    };
    const caisson = await openCaisson({ home, cwd: home, env: { ...process.env, HOME: sshd.home }, flags });
    try {
      const { sandbox } = await caisson.sandboxes.create({
        taskId: 'reported',
        limits: { memoryBytes: 64 * mb, pids: 40 },
      });
      expect(sandbox.degraded.map(({ control }) => control)).toEqual(['diskBytes']);
      expect((await caisson.sandboxes.get('reported')).effective?.['limits']).toMatchObject({
        memoryBytes: 64 * mb,
        pids: 40,
      });
      await expect(caisson.sandboxes.create({ taskId: 'disk', limits: { diskBytes: mb } })).rejects.toMatchObject({
        code: 'not_supported',
      });
      await caisson.sandboxes.remove('reported');
    } finally {
      await caisson.close();
      rmSync(home, { recursive: true });
    }
  });

  it('end a program that takes too much memory, and leave others alone', async () => {
    const [small, free] = [await limited({ memoryBytes: 64 * mb }), await limited({})];
    const hog = ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=200M', 'count=1'] as const;
    expect(await run(small, hog)).toMatchObject({ signal: 'SIGKILL' });
    expect(await run(small, ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=20M', 'count=1'])).toMatchObject({
      exitCode: 0,
    });
    expect(await run(free, hog)).toMatchObject({ exitCode: 0 });
  });

  it('hold for all commands of a sandbox together', async () => {
    const sandbox = await limited({ pids: 40 });
    const fork = (count: number) =>
      sh(sandbox, `p=; for i in $(seq ${count}); do sleep 9 & p="$p $!"; done; sleep 1; kill $p`);
    expect(await fork(20)).toMatchObject({ exitCode: 0 });
    const both = await Promise.all([fork(25), fork(25)]);
    expect(both.some(({ exitCode, stderr }) => exitCode !== 0 && /fork|resource/i.test(stderr.toString()))).toBe(true);
  });

  it('give a busy loop its share of a core and no more', async () => {
    const sandbox = await limited({ cpuCores: 0.25 });
    const used =
      'read -r x </proc/self/stat; { while :; do :; done & }; l=$!; sleep 2; read -r x </proc/$l/stat; kill -9 $l; set -- ${x##*) }; echo $((${12}+${13}))';
    const ticks = Number((await sh(sandbox, used)).stdout.toString());
    expect(ticks).toBeGreaterThan(10);
    expect(ticks).toBeLessThan(2 * 100 * 0.4);
  });

  it('leave exit codes, signals, terminals and programs that are not there as they are', async () => {
    const sandbox = await limited({ pids: 100 });
    expect(await sh(sandbox, 'exit 7')).toMatchObject({ exitCode: 7 });
    expect(await sh(sandbox, 'kill -TERM $$')).toMatchObject({ signal: 'SIGTERM' });
    expect((await run(sandbox, ['no-such-program'])).exitCode).toBe(127);
    await expect(run(sandbox, ['true', 'x'.repeat(200_000)])).rejects.toMatchObject({ code: 'invalid_argument' });
    const odd = ['-n', '$HOME', "it's", '%h ${PATH}', ''];
    const printed = await run(sandbox, ['printf', '<%s>', ...odd], { env: { PATH: '/usr/bin:/bin', A: '$B' } });
    expect(printed.stdout.toString()).toBe(odd.map((word) => `<${word}>`).join(''));
  });

  it('start nothing when systemd gives no scope', async () => {
    const [sandbox, free] = [await limited({ pids: 100 }), await limited({})];
    const file = join(sshd.home, 'ran');
    await sh(free, 'mv /run/systemd/private /run/systemd/away');
    await expect(run(sandbox, ['touch', file])).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('was not started'),
    });
    await sh(free, 'mv /run/systemd/away /run/systemd/private');
    expect(existsSync(file)).toBe(false);
    expect(await run(sandbox, ['touch', file])).toMatchObject({ exitCode: 0 });
    expect(existsSync(file)).toBe(true);
  });

  it('are gone with the sandbox', async () => {
    const sandbox = await limited({ pids: 100 });
    await run(sandbox, ['true']);
    const free = await limited({});
    const slices = async (): Promise<string> => (await sh(free, 'ls /etc/systemd/system.control')).stdout.toString();
    const before = (await slices()).split('\n').length;
    await sandbox.destroy();
    await sandbox.destroy();
    expect((await slices()).split('\n').length).toBe(before - 1);
  });
});
