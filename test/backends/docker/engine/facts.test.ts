import { describe, expect, test } from 'vitest';
import { CaissonError } from '../../../../src/errors.ts';
import { checkFromFacts, toFailedCheck } from '../../../../backends/docker/check.ts';
import { decide } from '../../../../backends/docker/container/disk.ts';
import { type Ask, readAnswers, readFacts, toFacts } from '../../../../backends/docker/engine/facts.ts';
import { toGuarantees, type EnginePlace } from '../../../../backends/docker/guarantees.ts';
import { checkCommand, checkSpec } from '../../../../backends/docker/container/limits.ts';
import { plainSpec } from '../../../conformance/spec.ts';
import { onThisKernel } from '../../../../backends/docker/exec/pipes.ts';
import { infoOf, versionOf } from '../answers.ts';

const place: EnginePlace = {
  disk: { enforced: false, reason: 'no quota' },
  local: true,
  hostUser: true,
  door: true,
  refusals: { enforced: true, by: 'iptables' },
};
const factsOf = (info: Record<string, unknown> = {}, version: Record<string, unknown> = {}) =>
  toFacts({ ...infoOf(), ...info }, { ...versionOf(), ...version });
const factsBy = async (ask: Ask) => await readFacts(ask, await readAnswers(ask));
const findingsOf = (info: Record<string, unknown>, version: Record<string, unknown> = {}) =>
  checkFromFacts(factsOf(info, version)).findings.map(({ id }) => id);

describe('the facts of an engine', () => {
  test('are read', () => {
    expect(factsOf()).toMatchObject({
      id: 'AAAA:BBBB',
      engineVersion: '29.5.1',
      backingFilesystem: 'extfs',
      cgroupVersion: 1,
      runtimes: ['runc', 'crun'],
      seccomp: 'default',
      apparmor: true,
    });
  });

  test.each([
    [['name=seccomp,profile=unconfined'], 'unconfined'],
    [['name=seccomp,profile=/etc/my.json'], 'custom'],
    [['name=seccomp'], 'default'],
    [['name=apparmor'], 'none'],
  ])('tell from %j that seccomp is %s', (options, state) => {
    expect(factsOf({ SecurityOptions: options }).seccomp).toBe(state);
  });

  test('of Podman on version 2 of cgroups are what its own call tells, and its id is not one', async () => {
    const podman = { Components: [{ Name: 'Podman Engine', Version: '5.4.2' }] };
    const reported: Record<string, unknown> = {
      '/info': { ...infoOf(), CgroupVersion: '2', CpuCfsQuota: false, SwapLimit: false },
      '/version': { ...versionOf(), ...podman },
      '/v3.0.0/libpod/info': { host: { cgroupControllers: ['cpuset', 'cpu', 'memory'] } },
    };
    const facts = await factsBy(async ({ path }) => reported[path]);
    expect(facts).toMatchObject({ id: null, limits: { cpu: true, memory: true, swap: true, pids: false } });
    expect(await factsBy(async ({ path }) => ({ ...reported, '/info': infoOf() })[path])).toMatchObject({
      limits: { cpu: true, memory: true, swap: true, pids: true },
    });
  });

  test('are unknown where the engine answers nonsense', () => {
    const facts = toFacts(
      { ID: 7, NCPU: 'many', Runtimes: [], DriverStatus: 'x', SecurityOptions: null },
      { Components: [null, 7, {}] },
    );
    expect(facts).toMatchObject({
      id: null,
      cpus: null,
      runtimes: [],
      backingFilesystem: null,
      components: {},
      limits: { cpu: false, memory: false, swap: false, pids: false },
    });
  });
});

describe('the promises of an engine', () => {
  test('name the mechanism', () => {
    expect(toGuarantees(factsOf({ CgroupVersion: '2' }), place).limits.memoryBytes).toEqual({
      enforced: true,
      by: 'cgroup v2 memory and swap',
    });
  });

  test('do not count memory as limited when swap is not (RL-04)', () => {
    expect(toGuarantees(factsOf({ SwapLimit: false }), place).limits.memoryBytes).toMatchObject({
      enforced: false,
      reason: expect.stringContaining('swap'),
    });
  });

  test('leave out what a rootless engine without delegation cannot do', () => {
    const { limits } = toGuarantees(factsOf({ MemoryLimit: false, PidsLimit: false, CpuCfsQuota: false }), place);
    expect([limits.memoryBytes.enforced, limits.pids.enforced, limits.cpuCores.enforced]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('bind no directories of this host into an engine elsewhere', () => {
    expect(toGuarantees(factsOf(), { ...place, local: false })).toMatchObject({
      persistence: 'place',
      mounts: 'none',
      credentials: 'copy',
      hardening: { hostUser: false },
    });
  });

  test.each([['name=userns'], ['name=rootless']])('do not run as the host user under %s', (option) => {
    expect(toGuarantees(factsOf({ SecurityOptions: ['name=seccomp', option] }), place).hardening.hostUser).toBe(false);
  });

  test('show credential files unless root inside could not read them, or the engine is elsewhere', () => {
    expect(toGuarantees(factsOf(), place).credentials).toBe('bind');
    expect(toGuarantees(factsOf({ SecurityOptions: ['name=userns'] }), place).credentials).toBe('copy');
  });

  test('have no profile of our own for an architecture without a list', () => {
    expect(toGuarantees(factsOf({ Architecture: 's390x' }), place).hardening.seccomp).toBe(false);
  });

  test('include no profile of Caisson on Podman, which takes a path where Docker takes the profile', () => {
    const podman = factsOf({}, { Components: [{ Name: 'Podman Engine', Version: '4.3.1' }] });
    expect(toGuarantees(podman, place).hardening.seccomp).toBe(false);
    expect(toGuarantees(factsOf({}), place).hardening.seccomp).toBe(true);
  });

  test.each([
    ['btrfs', null, true],
    ['zfs', null, true],
    ['overlay2', 'extfs', false],
    ['overlayfs', null, false],
    ['vfs', null, false],
  ])('hold a disk limit with %s on %s: %s', (storageDriver, backingFilesystem, enforced) => {
    expect(decide({ storageDriver, backingFilesystem })).toMatchObject({ enforced });
  });

  test('try whether overlay2 on xfs holds a disk limit, since it depends on a mount option', () => {
    expect(decide({ storageDriver: 'overlay2', backingFilesystem: 'xfs' })).toBe('try');
  });
});

describe('what is refused before the engine hears of it', () => {
  const guarantees = toGuarantees(factsOf(), place);
  const spec = plainSpec('docker', { image: 'x', cwd: '/', persistent: false });

  test.each([
    ['a disk limit that nothing holds', { ...spec, limits: { ...spec.limits, diskBytes: 2 ** 30 } }, /diskBytes/],
    [
      'a runtime that the engine does not have',
      { ...spec, hardening: { ...spec.hardening, runtime: 'runsc' } },
      /runsc/,
    ],
  ])('includes %s (CH-20)', (_what, asked, words) => {
    expect(() => checkSpec(asked, guarantees)).toThrow(
      expect.objectContaining({ code: 'not_supported', message: expect.stringMatching(words) }),
    );
  });

  test('does not include a runtime that it has', () => {
    expect(() => checkSpec({ ...spec, hardening: { ...spec.hardening, runtime: 'crun' } }, guarantees)).not.toThrow();
  });

  test.each(['/proc/self/fd/7', '/proc', '//proc/1/cwd', '/sys/fs', '/dev', '/a/../b', 'relative', '', '/a\0b'])(
    'includes the working directory %j (CH-11)',
    (cwd) => {
      expect(() => checkCommand(['true'], { cwd, env: {} })).toThrow(
        expect.objectContaining({ code: 'invalid_argument' }),
      );
    },
  );

  test.each(['/', '/process', '/workspace/dev', '/a..b'])('does not include the working directory %s', (cwd) => {
    expect(() => checkCommand(['true'], { cwd, env: {} })).not.toThrow();
  });

  test('includes words that Linux cannot take, measured in bytes', () => {
    const fits = 'é'.repeat(65_535);
    expect(() => checkCommand([fits], { cwd: '/', env: {} })).not.toThrow();
    expect(() => checkCommand([`${fits}é`], { cwd: '/', env: {} })).toThrow(/longer/);
    expect(() => checkCommand(['true'], { cwd: '/', env: { A: 'x'.repeat(131_070) } })).toThrow(/longer/);
  });
});

describe('the check of an engine', () => {
  test('finds nothing about a current one with everything on', () => {
    expect(findingsOf({ CgroupVersion: '2' })).toEqual([]);
  });

  test('reads the version of Docker Desktop from its platform', () => {
    expect(findingsOf({ CgroupVersion: '2' }, { Platform: { Name: 'Docker Desktop 4.44.2 (202017)' } })).toEqual([
      'CVE-2025-9074',
    ]);
  });

  test('does not hold a Podman to versions of Docker', () => {
    expect(
      findingsOf(
        { CgroupVersion: '2', ServerVersion: '4.3.1' },
        { Components: [{ Name: 'Podman Engine', Version: '4.3.1' }] },
      ),
    ).toEqual([]);
  });

  test('says that it does not know an untold runc', () => {
    expect(findingsOf({ CgroupVersion: '2' }, { Components: [{ Name: 'docker-init', Version: '0.19.0' }] })).toEqual([
      'unknown-version',
      'unknown-version',
    ]);
  });

  test.each([
    [{ SecurityOptions: [] }, 'seccomp-off'],
    [{ SecurityOptions: ['name=seccomp,profile=unconfined'] }, 'seccomp-off'],
    [{ SwapLimit: false }, 'swap-unlimited'],
    [{ CgroupVersion: '1' }, 'cgroup-v1'],
    [{ Driver: 'btrfs' }, 'btrfs-quota-lapses'],
  ])('finds from %j: %s', (info, id) => {
    expect(findingsOf({ CgroupVersion: '2', ...info })).toContain(id);
  });

  test.each([
    ['ENOENT', 'missing'],
    ['EACCES', 'unhealthy'],
    ['ECONNREFUSED', 'unhealthy'],
  ])('calls an engine with %s %s', (system, status) => {
    expect(toFailedCheck(new CaissonError('unavailable', 'no', { details: { system }, remedy: 'do' }))).toMatchObject({
      status,
      remedy: 'do',
    });
  });
});

describe('named pipes reach into a sandbox', () => {
  const here = { facts: factsOf(), local: true, root: true };

  test('of an engine on this kernel, whose processes may be looked into', () => {
    expect(onThisKernel('runc', here)).toBe(true);
    expect(onThisKernel(null, here)).toBe(true);
    expect(onThisKernel('runc', { ...here, root: false, facts: factsOf({ SecurityOptions: ['name=rootless'] }) })).toBe(
      true,
    );
  });

  test.each([
    ['a virtual machine', 'kata', here],
    ['a kernel of its own', null, { ...here, facts: factsOf({ DefaultRuntime: 'runsc' }) }],
    ['an engine elsewhere', 'runc', { ...here, local: false }],
    ["somebody else's processes", 'runc', { ...here, root: false }],
    ['Docker Desktop', 'runc', { ...here, facts: factsOf({ OperatingSystem: 'Docker Desktop' }) }],
  ])('but not into %s', (_, runtime, where) => {
    expect(onThisKernel(runtime, where)).toBe(false);
  });
});
