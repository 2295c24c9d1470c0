/** The whole service on a real host over ssh: configuration, sandbox, guard, exec, files, and what is left at the end. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import { openCaisson } from '../../src/main.ts';
import type { SandboxRequest } from '../../src/plan/types.ts';
import { cli } from '../cli/cli.ts';
import { hasSshd, type Sshd, startSshd } from '../engines/sshd.ts';

describe.skipIf(!hasSshd())('a service with the ssh backend', () => {
  let sshd: Sshd;
  let caisson: Caisson;
  const home = mkdtempSync(join(tmpdir(), 'caisson-home-'));
  const opened: Caisson[] = [];

  async function service(): Promise<Caisson> {
    const { host, port, key } = sshd.settings;
    const env = { PATH: process.env['PATH'] ?? '', HOME: sshd.home };
    writeFileSync(
      join(home, 'config.yaml'),
      `terminal: {backend: ssh, ssh_host: ${host}, ssh_port: ${port}, ssh_key: "${key}"}\n`,
    );
    const made = await openCaisson({ home, env, cwd: home });
    opened.push(made);
    return made;
  }

  beforeAll(async () => {
    sshd = await startSshd();
    caisson = await service();
  });
  afterAll(async () => {
    await caisson.sandboxes.remove('work').catch(() => undefined);
    await Promise.all(opened.map((each) => each.close()));
    await sshd.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('runs a command, tells where, and lists the limits that the host does not hold', async () => {
    const { sandbox } = await caisson.sandboxes.create({ taskId: 'work' });
    expect(sandbox.degraded.map(({ control }) => control)).toEqual(
      expect.arrayContaining(['cpuCores', 'memoryBytes', 'diskBytes', 'pids']),
    );
    const { exit, stdout, where } = await caisson.run({ taskId: 'work', command: ['sh', '-c', 'echo hi; exit 3'] });
    expect(exit).toMatchObject({ reason: 'exited', exitCode: 3 });
    expect(stdout.text).toBe('hi\n');
    expect(where).toMatchObject({ backend: 'ssh', host: expect.stringMatching(/@127\.0\.0\.1:\d+$/) });
  });

  it('starts commands in the directory of their task, and in the home directory without one', async () => {
    const pwd = async (request: SandboxRequest): Promise<[string, string | null]> => {
      const { stdout, where } = await caisson.run({ ...request, command: ['pwd'] });
      return [stdout.text, where.resource];
    };
    const [said, resource] = await pwd({ taskId: 'work' });
    expect(said).toBe(`${String(resource)}\n`);
    expect((await pwd({}))[0]).toBe(`${sshd.home}\n`);
  });

  it('refuses a limit that was asked for, since the host cannot hold it', async () => {
    await expect(caisson.sandboxes.create({ taskId: 'limited', limits: { pids: 10 } })).rejects.toMatchObject({
      code: 'not_supported',
    });
  });

  it('judges commands as on a host of its own', async () => {
    await expect(caisson.run({ taskId: 'work', command: ['sh', '-c', 'rm -rf /'] })).rejects.toMatchObject({
      code: 'policy_denied',
    });
  });

  it('kills the whole tree at the deadline, also what left its group', async () => {
    // Other tests sleep on this machine too.
    const sleep = `sleep 300.${process.pid}`;
    const text = `${sleep}1 & setsid ${sleep}2 & (setsid nohup ${sleep}3 >/dev/null 2>&1 &) ; ${sleep}4`;
    const { exit } = await caisson.run({ taskId: 'work', command: ['sh', '-c', text], timeoutMs: 1500 });
    expect(exit).toMatchObject({ reason: 'timed-out', survivors: [] });
    const { stdout } = await caisson.run({
      taskId: 'work',
      command: ['sh', '-c', 'for p in /proc/[0-9]*/cmdline; do tr "\\0" " " <$p; echo; done 2>/dev/null'],
    });
    expect(stdout.text).not.toContain(sleep);
  });

  it('copies files in and out, whatever their names', async () => {
    const here = mkdtempSync(join(tmpdir(), 'caisson-files-'));
    const source = join(here, "it's; $(a) `id` -name");
    writeFileSync(source, 'content');
    const { resource } = (await caisson.run({ taskId: 'work', command: ['true'] })).where;
    const target = `${String(resource)}/-odd ; \`id\` name`;
    await caisson.files.copyIn({ task: 'work', source, target });
    await caisson.files.copyOut({ task: 'work', source: target, target: join(here, 'back') });
    expect(readFileSync(join(here, 'back'), 'utf8')).toBe('content');
    rmSync(here, { recursive: true });
  });

  it('gets to know its host by doctor --trust with the fingerprint from the host, and puts that on record', async () => {
    const file = join(sshd.home, '.ssh/known_hosts');
    const known = readFileSync(file, 'utf8');
    sshd.know('');
    const doctor = (...more: string[]) => cli(['doctor', 'ssh', ...more], { open: service });
    const refused = await doctor('--trust');
    const [print = ''] = /SHA256:[A-Za-z0-9+/]{43}/.exec(refused.stderr) ?? [];
    expect([refused.exitCode, readFileSync(file, 'utf8')]).toEqual([125, '']);
    expect(refused.stderr).toContain(`caisson doctor ssh --trust --fingerprint ${print}`);
    const reported = await doctor('--trust', '--fingerprint', print);
    expect([reported.exitCode, readFileSync(file, 'utf8')]).toEqual([0, known]);
    const [record] = await Array.fromAsync(caisson.audit.tail({ count: 1 }));
    expect(record).toMatchObject({ type: 'trust', backend: 'ssh', fingerprint: print });
  });

  it('finds its sandbox and a detached process again from another service', async () => {
    const { id } = await caisson.processes.start({ taskId: 'work', command: ['sh', '-c', 'sleep 1; exit 9'] });
    await caisson.close();
    caisson = await service();
    expect(await caisson.processes.wait(id)).toMatchObject({ exitCode: 9 });
    expect((await caisson.sandboxes.list()).items).toHaveLength(1);
    await caisson.sandboxes.remove('work');
    expect((await caisson.sandboxes.list()).items).toEqual([]);
  });
});
