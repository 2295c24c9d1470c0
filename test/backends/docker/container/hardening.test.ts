/** What a container of Caisson is, seen from within and by the engine. */
import { readlinkSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../../src/backend.ts';
import { dockerHost } from '../../../engines/docker.ts';
import { busybox, Place, plain, run, sh, textOf } from '../place.ts';

const host = dockerHost();

describe.skipIf(host === null)('a sandbox on a Docker engine', () => {
  const place = new Place(host ?? 'unix:///nowhere');
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await place.create();
  });
  afterAll(() => place.close());

  test('has exactly three capabilities, and can gain none (CH-01, CH-02)', async () => {
    const { stdout } = await sh(sandbox, 'grep -E "^(Cap|NoNewPrivs)" /proc/self/status');
    const held = Object.fromEntries(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(':\t')),
    );
    expect(held).toEqual({
      CapInh: expect.stringMatching(/^0{15}[0b]$/),
      CapPrm: '000000000000000b',
      CapEff: '000000000000000b',
      CapBnd: '000000000000000b',
      CapAmb: '0000000000000000',
      NoNewPrivs: '1',
    });
  });

  test("runs under a seccomp filter, with our profile and with the engine's (CH-03)", async () => {
    const engines = await place.create({ hardening: { ...plain.hardening, seccomp: 'engine' } });
    for (const each of [sandbox, engines])
      expect((await sh(each, 'grep ^Seccomp: /proc/self/status')).stdout).toBe('Seccomp:\t2\n');
  });

  test('has namespaces of its own (CH-05)', async () => {
    const { stdout } = await sh(sandbox, 'for n in pid net ipc uts mnt; do readlink /proc/self/ns/$n; done');
    const ours = ['pid', 'net', 'ipc', 'uts', 'mnt'].map((name) => readlinkSync(`/proc/self/ns/${name}`));
    expect(
      stdout
        .trim()
        .split('\n')
        .filter((name) => ours.includes(name)),
    ).toEqual([]);
  });

  test("sees no path of the host but the engine's own files (CH-06)", async () => {
    const { stdout } = await sh(sandbox, 'cat /proc/self/mountinfo');
    const mounts = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' '));
    const fromDisk = mounts.filter(
      (fields) =>
        fields[3] !== '/' &&
        !['proc', 'sysfs', 'tmpfs', 'devtmpfs', 'cgroup', 'cgroup2', 'devpts', 'mqueue'].includes(
          fields[fields.indexOf('-') + 1] ?? '',
        ),
    );
    const own = ['/etc/hostname', '/etc/hosts', '/etc/resolv.conf'];
    expect(new Set(fromDisk.map((fields) => fields[4]))).toEqual(new Set(own));
    // "shared:" would mean that a mount in here could travel out.
    expect(
      mounts.filter((fields) => fields.slice(6, fields.indexOf('-')).some((field) => field.startsWith('shared:'))),
    ).toEqual([]);
  });

  test('has sized tmpfs mounts, of which only /tmp, /workspace and /root may run programs (CH-06)', async () => {
    const { stdout } = await sh(sandbox, 'cat /proc/mounts');
    const options = new Map(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(' '))
        .map((fields) => [fields[1], (fields[3] ?? '').split(',')]),
    );
    for (const target of ['/tmp', '/workspace', '/root'])
      expect(options.get(target)).toEqual(expect.arrayContaining(['nosuid', 'nodev']));
    for (const target of ['/tmp', '/workspace', '/root']) expect(options.get(target)).not.toContain('noexec');
    for (const target of ['/var/tmp', '/run'])
      expect(options.get(target)).toEqual(expect.arrayContaining(['nosuid', 'nodev', 'noexec']));
    expect(
      [options.get('/tmp'), options.get('/var/tmp'), options.get('/run')].map((list) =>
        list?.find((option) => option.startsWith('size=')),
      ),
    ).toEqual(['size=524288k', 'size=262144k', 'size=65536k']);
  });

  test('cannot write to /proc/sys or read kernel memory (CH-06)', async () => {
    expect((await sh(sandbox, 'echo x > /proc/sys/kernel/hostname')).exitCode).not.toBe(0);
    const { stdout } = await sh(
      sandbox,
      'for f in kcore keys timer_list latency_stats sched_debug; do [ ! -e /proc/$f ] || wc -c < /proc/$f; done',
    );
    expect(stdout).toMatch(/^(0\n)+$/);
  });

  test('reaches no socket of an engine or an agent (CH-07)', async () => {
    const open = await place.create({ network: 'open' });
    expect(
      (
        await sh(
          open,
          'find / -xdev -type s 2>/dev/null; ls /var/run/docker.sock /run/docker.sock /run/containerd/containerd.sock 2>/dev/null; env | grep -i -e sock -e docker_host',
        )
      ).stdout,
    ).toBe('');
  });

  test('runs with no swap and the limits that were asked for, as the engine tells', async () => {
    const { HostConfig } = await place.engine.getContainer(sandbox.place.resource).inspect();
    const { memoryBytes, pids } = plain.limits;
    expect(HostConfig).toMatchObject({
      Memory: memoryBytes,
      MemorySwap: memoryBytes,
      PidsLimit: pids,
      NanoCpus: 1e9,
      Privileged: false,
      PublishAllPorts: false,
    });
  });

  test('starts commands without privileges, as its own user (CH-15)', async () => {
    const started = await sandbox.exec(['sleep', '30'], { cwd: '/', env: {}, stdin: false });
    const { ExecIDs } = await place.engine.getContainer(sandbox.place.resource).inspect();
    const execs = await Promise.all((ExecIDs ?? []).map((id: string) => place.engine.getExec(id).inspect()));
    expect(execs.map(({ ProcessConfig }) => ProcessConfig.privileged)).toEqual(execs.map(() => false));
    expect((await sh(sandbox, 'id -u; id -g')).stdout).toBe('0\n0\n');
    await started.kill('SIGKILL');
    expect((await started.wait()).exitCode).toBe(137);
    started.release();
  });

  test('has a first process that reaps what is left to it (CH-19, RL-09)', async () => {
    await sh(sandbox, 'for i in 1 2 3 4 5 6 7 8 9 10; do (sleep 0.1 &) ; done');
    await expect
      .poll(async () => (await sh(sandbox, 'grep -l "^State:.Z" /proc/[0-9]*/status 2>/dev/null | wc -l')).stdout, {
        timeout: 5000,
      })
      .toBe('0\n');
  });

  test('writes no core file and bounds open files (RL-08, RL-14)', async () => {
    // The hard limit is the bound. The soft one is 4096, unless runc's own start raised it to the hard one at the moment
    // at which the limits were set: Go does that to every program, and some versions of runc race with it.
    expect((await sh(sandbox, 'ulimit -c; ulimit -n; ulimit -Hn')).stdout).toMatch(/^0\n(?:4096|8192)\n8192\n$/);
    const { stdout } = await sh(sandbox, 'cd /workspace; sh -c "kill -SEGV \\$\\$"; ls');
    expect(stdout).toBe('');
  });

  test('is killed for memory, says so, and goes on (RL-03, RL-04)', async () => {
    const killed = await run(sandbox, ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=400M', 'count=1']);
    expect(killed).toMatchObject({ exitCode: 137, signal: null, outOfMemory: true });
    expect(await run(sandbox, ['echo', 'on'])).toMatchObject({ exitCode: 0, stdout: 'on\n', outOfMemory: false });
  });

  test('is full where a tmpfs is full (RL-05)', async () => {
    const small = await place.create({ hardening: { ...plain.hardening, shmBytes: 8 * 1024 * 1024 } });
    const { stdout } = await sh(
      small,
      'dd if=/dev/zero of=/dev/shm/x bs=1M count=20 2>/dev/null; wc -c < /dev/shm/x; dd if=/dev/zero of=/run/x bs=1M count=80 2>/dev/null; wc -c < /run/x',
    );
    expect(stdout).toBe(`${8 * 1024 * 1024}\n${64 * 1024 * 1024}\n`);
  });

  test('has a read-only root when it is asked to, with writable workspace and tmp (CH-17)', async () => {
    const readOnly = await place.create({ hardening: { ...plain.hardening, readOnlyRoot: true } });
    expect(
      (await sh(readOnly, 'touch /etc/x 2>/dev/null || echo refused; touch /workspace/x /tmp/x && echo written'))
        .stdout,
    ).toBe('refused\nwritten\n');
  });

  test('runs as the host user without any capability when it is asked to', async () => {
    const asHost = await place.create({ hardening: { ...plain.hardening, user: 'host' } });
    const { stdout } = await sh(
      asHost,
      'id -u; grep CapEff /proc/self/status; touch /workspace/x /root/x && echo written',
    );
    expect(stdout).toBe(`${process.getuid?.()}\nCapEff:\t0000000000000000\nwritten\n`);
  });

  test('overrides what a hostile image sets, and leaves no volume behind (CH-16)', async () => {
    const reference = `caisson-test/hostile:${place.instance}`;
    await buildHostile(place, reference);
    try {
      const hostile = await place.create({ image: reference });
      const { stdout } = await sh(
        hostile,
        'echo "[$LD_PRELOAD|$BASH_ENV|$NODE_OPTIONS|$KEPT]"; id -u; cat /proc/*/cmdline | tr "\\0" " "',
      );
      expect(stdout).toMatch(/^\[\|\|\|yes\]\n0\n/);
      expect(stdout).not.toContain('evil');
      // Its labels claim to be an exec's end.
      expect(await run(hostile, ['sh', '-c', 'exit 5'])).toMatchObject({ exitCode: 5 });
      const inspected = await place.engine.getContainer(hostile.place.resource).inspect();
      expect(inspected.Config.Healthcheck?.Test).toEqual(['NONE']);
      expect(hostile.place.imageDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
      const volumes = inspected.Mounts.filter(({ Type }) => Type === 'volume').map(({ Name }) => Name ?? '');
      expect(volumes).toHaveLength(1);
      expect([hostile.volumes, sandbox.volumes]).toEqual([['/evil'], []]);
      await hostile.destroy();
      await expect(place.engine.getVolume(volumes[0] ?? '').inspect()).rejects.toMatchObject({ statusCode: 404 });
    } finally {
      await place.engine.getImage(reference).remove({ force: true });
    }
  });

  test('keeps the files of a persistent sandbox in a directory that only the owner may enter', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'caisson-docker-'));
    try {
      await chmod(directory, 0o755);
      const persistent = await place.create({ persistent: true }, place.options({ directory }));
      await sh(persistent, 'echo kept > /workspace/file; echo home > /root/file');
      const look = ['sh', '-c', 'cat file; touch new || cat /root/file || echo refused'] as const;
      const as = persistent.users?.as('4242') ?? expect.unreachable();
      const seen = await as.exec(look, { cwd: '/workspace', env: {}, stdin: false });
      seen.stderr.resume();
      expect(await textOf(seen.stdout)).toBe('kept\nrefused\n');
      seen.release();
      await sh(persistent, 'chmod 1777 /workspace');
      await persistent.destroy();
      expect((await stat(directory)).mode & 0o777).toBe(0o700);
      expect([await readdir(join(directory, 'workspace')), await readdir(join(directory, 'root'))]).toEqual([
        ['file'],
        ['file'],
      ]);
      const again = await place.create({ persistent: true }, place.options({ directory }));
      expect((await sh(again, 'stat -c %a /workspace /root')).stdout).toBe('1777\n700\n');
      await again.destroy();
    } finally {
      await chmod(directory, 0o700);
      await rm(directory, { recursive: true, force: true });
    }
  });
});

/** Makes the image by commit, since an image of an unknown engine cannot be built without a registry. */
async function buildHostile(place: Place, reference: string): Promise<void> {
  const [repo = '', tag = ''] = reference.split(':');
  const container = await place.engine.createContainer({ Image: busybox, Cmd: ['true'] });
  try {
    const changes = [
      'USER 1000',
      'VOLUME /evil /workspace',
      'ENV LD_PRELOAD=/evil.so BASH_ENV=/evil NODE_OPTIONS=--evil KEPT=yes',
      'ENTRYPOINT ["/bin/evil"]',
      'HEALTHCHECK CMD /bin/evil',
      'LABEL exitCode=0 execID=evil',
    ];
    await container.commit({ repo, tag, changes: changes.join('\n') });
  } finally {
    await container.remove({ force: true });
  }
}
