import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namedAccount, reservedAccount } from '../../../backends/singularity/account.ts';
import { parseVersion, tooOld, versionFindings } from '../../../backends/singularity/floors.ts';
import { parseMounts } from '../../../backends/singularity/hierarchy.ts';
import { parseImage } from '../../../backends/singularity/image-source.ts';
import { cacheOf, ownerOf, plainPath, scratchOf } from '../../../backends/singularity/places.ts';
import { apptainerProfile } from '../../../backends/singularity/seccomp.ts';
import { parseRegistration } from '../../../backends/singularity/registration.ts';

const ids = (text: string): readonly string[] => {
  const version = parseVersion(text);
  if (version === null) throw new Error(`${text} was not read`);
  return versionFindings(version).map(({ id }) => id);
};

describe('versions', () => {
  it.each([
    ['apptainer version 1.1.9', '1.2.0'],
    ['apptainer version 1.4.5-2', null],
    ['singularity-ce version 3.11.4-focal', '4.0.0'],
    ['singularity version 3.8.7', '4.0.0'],
    ['singularity-ce version 4.1.0', null],
  ])('of %s: needs %s', (text, needed) => {
    const version = parseVersion(text);
    expect(version === null ? 'unread' : tooOld(version)).toBe(needed);
  });

  it('tell their known holes, and a fixed one none', () => {
    expect(ids('apptainer version 1.3.1')).toEqual(['CVE-2024-3727', 'CVE-2025-65105']);
    expect(ids('apptainer version 1.4.4')).toEqual(['CVE-2025-65105']);
    expect(ids('apptainer version 1.4.5')).toEqual([]);
    expect(ids('singularity-ce version 4.1.0')).toEqual([]);
  });

  it.each(['', '1.4.5', 'apptainer version x', 'runc version 1.1.12'])('of %j cannot be read', (text) => {
    expect(parseVersion(text)).toBeNull();
  });
});

describe('control groups of a host', () => {
  const v1 = (name: string): string => `30 24 0:26 / /sys/fs/cgroup/${name} rw,relatime - cgroup cgroup rw,${name}\n`;
  const v2 = '35 24 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n';

  it('are those of version 1 where all three are mounted', () => {
    expect(parseMounts(`${v1('memory')}${v1('pids')}${v1('cpu')}${v2}`)).toEqual({
      version: 1,
      at: { memory: '/sys/fs/cgroup/memory', pids: '/sys/fs/cgroup/pids', cpu: '/sys/fs/cgroup/cpu' },
    });
  });

  it('are found where two are mounted together', () => {
    const together = '31 24 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n';
    expect(parseMounts(`${v1('memory')}${v1('pids')}${together}`)?.at.cpu).toBe('/sys/fs/cgroup/cpu,cpuacct');
  });

  it('are those of version 2 elsewhere, or none', () => {
    expect(parseMounts(v2)).toMatchObject({ version: 2, at: { pids: '/sys/fs/cgroup' } });
    expect(parseMounts(`${v1('memory')}${v2}`)?.version).toBe(2);
    expect(parseMounts('1 0 8:1 / / rw - ext4 /dev/sda1 rw\n')).toBeNull();
  });
});

describe('images', () => {
  it.each([
    ['debian:12', { kind: 'registry', uri: 'docker://debian:12' }],
    ['docker://debian:12', { kind: 'registry', uri: 'docker://debian:12' }],
    ['docker-archive:/a/b.tar', { kind: 'archive', path: '/a/b.tar' }],
    ['/a/b.sif', { kind: 'path', path: '/a/b.sif' }],
  ])('%s is understood', (reference, source) => {
    expect(parseImage(reference)).toEqual(source);
  });

  it('are asked for where it is absent', () => {
    expect(() => parseImage(null)).toThrow('no image was given');
  });
});

describe('the filter of system calls', () => {
  const rules = (machine: string): readonly { readonly names: readonly string[]; readonly action: string }[] =>
    JSON.parse(apptainerProfile(machine) ?? '{}').syscalls;

  it('has no rule that lets somebody trace, and answers clone3 as if it were not there', () => {
    for (const machine of ['x64', 'arm64']) {
      const allowed = rules(machine).flatMap(({ names, action }) => (action === 'SCMP_ACT_ALLOW' ? names : []));
      expect(allowed).toContain('execve');
      for (const name of ['ptrace', 'clone3', 'unshare', 'mount', 'bpf', 'keyctl']) expect(allowed).not.toContain(name);
      expect(rules(machine).filter(({ names }) => names.includes('clone3'))).toEqual([
        { names: ['clone3'], action: 'SCMP_ACT_TRACE' },
      ]);
    }
  });

  it('that refuses setuid bits answers openat2 as if it were not there', () => {
    const {
      syscalls,
    }: { readonly syscalls: readonly { readonly names: readonly string[]; readonly action: string }[] } = JSON.parse(
      apptainerProfile('x64', true) ?? '{}',
    );
    const free = syscalls.filter((rule) => rule.action === 'SCMP_ACT_ALLOW' && !('args' in rule));
    for (const name of ['chmod', 'openat', 'openat2', 'ptrace', 'clone3'])
      expect(free.flatMap(({ names }) => names)).not.toContain(name);
    expect(syscalls.filter(({ names }) => names.includes('openat2'))).toEqual([
      { names: ['openat2'], action: 'SCMP_ACT_TRACE' },
    ]);
  });

  it('is not promised where it is absent', () => {
    expect(apptainerProfile('riscv64')).toBeNull();
  });
});

describe('the account that runs the containers of root', () => {
  const accounts = 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/x\nsand:x:990:991::/:/x\n';

  it('is a number that the host has given to nothing else, the same for each state directory', () => {
    const account = reservedAccount('inst1', accounts, 'sand:100000:65536\n');
    expect(account).toMatchObject({
      name: `caisson-${account.uid}`,
      handedOver: true,
      reserved: true,
      gid: account.uid,
    });
    expect(account.uid).toBeGreaterThanOrEqual(2_100_000_000);
    expect(account.uid).toBeLessThan(2_140_000_000);
    expect(reservedAccount('inst1', '', '').uid).toBe(account.uid);
    expect(reservedAccount('inst2', '', '').uid).not.toBe(account.uid);
  });

  it('is refused where the host has given that number away, with the command that makes one', () => {
    const { uid } = reservedAccount('inst1', '', '');
    const remedy = expect.stringContaining('useradd --system');
    const refusal = (people: string, ranges: string): unknown => {
      try {
        return reservedAccount('inst1', people, ranges);
      } catch (error) {
        return error;
      }
    };
    expect(refusal(`other:x:${uid}:1::/:/x\n`, '')).toMatchObject({ code: 'failed_precondition', remedy });
    expect(refusal('', `other:${uid - 9}:10\n`)).toMatchObject({ code: 'failed_precondition', remedy });
    expect(refusal('', `other:${uid - 9}:9\nbroken\n`)).toMatchObject({ uid });
  });

  it('is the one that is named, but never root, nobody or one that is not there', () => {
    const sand = { name: 'sand', uid: 990, gid: 991, handedOver: true, reserved: false };
    expect(namedAccount('sand', accounts)).toEqual(sand);
    for (const name of ['root', 'nobody', 'absent'])
      expect(() => namedAccount(name, accounts)).toThrow('containers are run by an account of their own');
  });
});

describe('directories', () => {
  it('are on the scratch that the configuration names, else on that of the job', () => {
    const env = { TMPDIR: '/t', SLURM_TMPDIR: '/job' };
    expect(scratchOf({ env, settings: { scratch_dir: '/s' } })).toBe('/s');
    expect(scratchOf({ env: { ...env, TERMINAL_SCRATCH_DIR: '/x' } })).toBe('/x');
    expect(scratchOf({ env })).toBe('/job');
    expect(scratchOf({ env: { TMPDIR: '/t' } })).toBe('/t');
    expect(scratchOf({ env: {} })).toBe('/tmp');
  });

  it('keep images in the home of an ordinary user, and where others can read for root', () => {
    const own = { handedOver: false, uid: 1000 };
    expect(cacheOf({ env: { HOME: '/home/u' } }, own)).toBe('/home/u/.cache/caisson/singularity');
    expect(cacheOf({ env: { XDG_CACHE_HOME: '/c' } }, own)).toBe('/c/caisson/singularity');
    const ofRoot = { handedOver: true, uid: 990 };
    expect(cacheOf({ env: { HOME: '/h' } }, ofRoot)).toBe('/var/cache/caisson/singularity/990');
    expect(cacheOf({ env: {}, settings: { cache_dir: '/mine' } }, ofRoot)).toBe('/mine/990');
    expect(cacheOf({ env: {}, settings: { cache_dir: '/mine' } }, own)).toBe('/mine');
  });

  it('share an account by the cache that is configured, however it is written, else have one each', () => {
    const at = (cache: string | null, instance: string): string =>
      ownerOf({ settings: { cache_dir: cache }, instance });
    expect(at('/mine', 'one')).toBe(at('/x//../mine', 'two'));
    expect(at('/mine', 'one')).not.toBe(at('/other', 'one'));
    expect(at(null, 'one')).not.toBe(at(null, 'two'));
  });

  it.each(['relative', '/a:b', '/a,b', '/a"b', '/a\\b', '/a\nb', ''])('are not %j', (path) => {
    expect(() => plainPath(path, 'it')).toThrow('it');
  });
});

describe('registrations', () => {
  const whole = {
    v: 1,
    name: 'n',
    labels: { instance: 'i', sandbox: 's', task: 't', fingerprint: 'f', created: '2026-01-01T00:00:00Z', schema: '1' },
    state: 'running',
    directory: '/scratch/x',
    account: { uid: 990, gid: 991 },
    plan: {
      root: '/cache/root',
      digest: null,
      limits: { cpuCores: 1, memoryBytes: null, diskBytes: null, pids: 5 },
      network: 'none',
      door: null,
      mounts: [{ source: '/a', target: '/b', readOnly: true }],
      credentials: { source: '/c', target: '/root/.caisson', readOnly: true },
      readOnlyRoot: false,
      seccomp: true,
      refuseSetid: false,
      keep: null,
    },
  } as const;

  it('are read as they were written', () => {
    expect(parseRegistration(JSON.stringify(whole))).toEqual(whole);
    const filtered = { ...whole, plan: { ...whole.plan, network: 'filtered', door: '/d' } };
    expect(parseRegistration(JSON.stringify(filtered))).toEqual(filtered);
    const { account: _, ...earlier } = whole;
    expect(parseRegistration(JSON.stringify(earlier))).toEqual({ ...whole, account: null });
  });

  it.each([
    { ...whole, v: 2 },
    { ...whole, state: 'asleep' },
    { ...whole, directory: 'scratch' },
    { ...whole, labels: { ...whole.labels, task: 'a b' } },
    { ...whole, plan: { ...whole.plan, limits: { ...whole.plan.limits, pids: '5' } } },
    { ...whole, plan: { ...whole.plan, mounts: [{ source: '/a' }] } },
    { ...whole, plan: { ...whole.plan, network: 'host' } },
    { ...whole, plan: { ...whole.plan, network: 'filtered' } },
    { ...whole, plan: { ...whole.plan, door: '/d' } },
    { ...whole, plan: { ...whole.plan, credentials: '/c' } },
    { ...whole, plan: null },
    { ...whole, account: { uid: 0, gid: 0 } },
    { ...whole, account: 'nobody' },
  ])('of another form are not ours', (other) => {
    expect(parseRegistration(JSON.stringify(other))).toBeNull();
  });

  it('are nothing that any text could make fail', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void parseRegistration(text)));
  });
});
