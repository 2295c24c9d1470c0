/** What a program in a sandbox of Apptainer can do to the host: nothing (CH-01, CH-02, CH-05 to CH-08, CH-21). */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasApptainer } from '../../engines/apptainer.ts';
import { readUntil, sh, start } from '../../conformance/command.ts';
import type { Sandbox } from '../../../src/backend.ts';
import { TestPlace } from './place.ts';

describe.skipIf(!hasApptainer())('a sandbox of Apptainer', () => {
  let place: TestPlace;
  let sandbox: Sandbox;
  beforeAll(async () => {
    place = await TestPlace.open();
    sandbox = await place.create({ network: 'none' });
  });
  afterAll(() => place.close());

  const reported = async (text: string): Promise<string> => (await sh(sandbox, text)).stdout.toString();

  it('has no capability in any set, cannot get one, and is not root', async () => {
    const status = await reported('cat /proc/self/status /proc/1/status');
    const sets = [...status.matchAll(/^Cap\w+:\s+([0-9a-f]+)$/gm)].map(([, mask]) => mask);
    expect(sets).toHaveLength(10);
    expect(new Set(sets)).toEqual(new Set(['0000000000000000']));
    expect([...status.matchAll(/^NoNewPrivs:\s+(\d)$/gm)].map(([, flag]) => flag)).toEqual(['1', '1']);
    expect([...status.matchAll(/^Seccomp:\s+(\d)$/gm)].map(([, mode]) => mode)).toEqual(['2', '2']);
    expect(Number(await reported('id -u'))).toBeGreaterThan(0);
    expect(/^Groups:[^\S\n]*(.*)$/m.exec(status)?.[1]).toBe('');
  });

  it('writes no core file, and cannot change that', async () => {
    const text = 'ulimit -c; ulimit -H -c; ulimit -c unlimited 2>/dev/null && echo raised; cat /proc/1/limits';
    const said = await reported(text);
    expect(said).toMatch(/^0\n0\n(?!raised)/);
    expect(said).toMatch(/^Max core file size +0 +0 /m);
  });

  it('has namespaces of its own', async () => {
    for (const name of ['pid', 'net', 'ipc', 'uts', 'mnt', 'user'])
      expect(await reported(`readlink /proc/self/ns/${name}`)).not.toBe(`${readlinkSync(`/proc/self/ns/${name}`)}\n`);
  });

  it.each([
    ['a sysctl entry of the kernel', 'cat /proc/sys/kernel/core_pattern >/proc/sys/kernel/core_pattern'],
    ['the mode of a device', 'chmod 600 /dev/null'],
    ['a new device', 'mknod /tmp/device c 1 3'],
    ['a mount', 'mount -t tmpfs none /mnt'],
    ['its limits', 'echo max >/sys/fs/cgroup/pids/pids.max'],
    ['its control group', 'echo $$ >/sys/fs/cgroup/pids/cgroup.procs'],
    ['the name of the host', 'hostname other'],
    ['who it is, in a namespace of its own', 'unshare -U true'],
    ['what the image is unpacked to', 'touch "$APPTAINER_CONTAINER/x"'],
  ])('cannot change %s', async (_what, text) => {
    const before = statSync('/dev/null').mode;
    expect((await sh(sandbox, text)).exitCode).not.toBe(0);
    expect(statSync('/dev/null').mode).toBe(before);
  });

  it('can write where it should', async () => {
    for (const path of ['/workspace/x', '/root/x', '/tmp/x', '/x', '/bin/x'])
      expect((await sh(sandbox, `echo x >${path} && rm ${path}`)).exitCode).toBe(0);
  });

  it('sees no directory of the host but its own', async () => {
    const mounts = (await reported('cat /proc/self/mountinfo')).trim().split('\n');
    const ofDisks = mounts.filter((line) => / - (ext\d|xfs|btrfs|overlay|tmpfs) /.test(line));
    const roots = ofDisks.map((line) => line.split(' ')[3] ?? '');
    // What tmpfs shows is a directory of it, by its own name; of a disk it is a path of the host.
    expect(
      roots.filter(
        (root) => !/^\/(dev|etc\/(resolv\.conf|hostname|hosts)|open\/(workspace|root|tmp)|shm)?$/.test(root),
      ),
    ).toEqual([]);
    expect(await reported('ls -A /home /sys; ls -d /etc/localtime /run/* 2>/dev/null')).toBe('/home:\n\n/sys:\nfs\n');
  });

  it('takes a command beside a dead process that was not waited for', async () => {
    // The child ends when its parent has become another program than a shell, which would wait for it.
    const child = 'while read -r name </proc/$$/comm && [ "$name" != sleep ]; do :; done';
    const careless = await start(sandbox, ['sh', '-c', `{ ${child}; } & echo up; exec sleep 100`]);
    await readUntil(careless.stdout, 'up\n');
    const dead = (): Promise<string> => reported('grep -l "^State:.Z" /proc/[0-9]*/status | wc -l');
    await expect.poll(dead, { timeout: 20_000 }).not.toBe('0\n');
    expect(await reported('echo taken')).toBe('taken\n');
    await careless.kill('SIGKILL');
    careless.release();
  });

  it('puts nothing of a command into arguments on the host', async () => {
    const secret = `secret-${randomBytes(8).toString('hex')}`;
    const word = `word-${randomBytes(8).toString('hex')}`;
    const process = await start(sandbox, ['sh', '-c', 'echo up; sleep 100; exit', word], { env: { TOKEN: secret } });
    await readUntil(process.stdout, 'up\n');
    const lines = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => commandLine(pid));
    expect(lines.filter((line) => line.includes(secret))).toEqual([]);
    // The command itself shows its own arguments, as its child does until that is sleep, and no other.
    expect([...new Set(lines.filter((line) => line.includes(word)))]).toEqual([
      `sh -c echo up; sleep 100; exit ${word} `,
    ]);
    await process.kill('SIGKILL');
    process.release();
  });

  // It looks through the files of the host twice, however many these are.
  it('leaves nothing on the host of all that it writes wherever it can', { timeout: 300_000 }, async () => {
    const own = await place.create({ network: 'none' });
    const name = `caisson-mark-${randomBytes(8).toString('hex')}`;
    const text = `find / -type d 2>/dev/null | while read -r d; do touch "$d/${name}" 2>/dev/null && echo "$d"; done`;
    const written = (await sh(own, text)).stdout.toString().trim().split('\n');
    expect(written.length).toBeGreaterThan(5);
    const roots = ['/', '/dev', '/dev/shm', '/run'].filter((path) => existsSync(path));
    const found = (): readonly string[] =>
      // Files come and go on this host meanwhile, of which it complains.
      spawnSync('find', [...roots, '-xdev', '-name', name])
        .stdout.toString()
        .split('\n')
        .filter(Boolean);
    expect(found().filter((path) => !path.startsWith(place.apptainer.scratch))).toEqual([]);
    await own.destroy();
    expect(found()).toEqual([]);
  });
});

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
  } catch {
    return ''; // It ended while we looked.
  }
}
