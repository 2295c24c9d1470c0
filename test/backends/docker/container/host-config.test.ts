import { describe, expect, test } from 'vitest';
import type { Spec } from '../../../../src/backend.ts';
import { toFacts } from '../../../../backends/docker/engine/facts.ts';
import { containerBody, type Plan } from '../../../../backends/docker/container/host-config.ts';
import { infoOf, versionOf } from '../answers.ts';

const gibibyte = 1024 ** 3;
const spec: Spec = {
  backend: 'docker',
  image: 'caisson/base',
  limits: { cpuCores: 1, memoryBytes: 4 * gibibyte, diskBytes: 50 * gibibyte, pids: 256 },
  network: 'none',
  persistent: true,
  cwd: '/workspace',
  mounts: [],
  hardening: { readOnlyRoot: false, seccomp: 'engine', runtime: null, shmBytes: null, user: 'root' },
};
const labels = { instance: 'i', sandbox: 's', task: 't', fingerprint: 'f', created: 'c', schema: '1' };

function bodyOf(patch: Partial<Spec> = {}, plan: Partial<Plan> = {}) {
  return containerBody({
    spec: { ...spec, ...patch },
    options: { name: 'caisson-s', labels, init: ['sh', '-c', 'sleep 9'], directory: '/home/u/task', credentials: null },
    facts: toFacts(infoOf(), versionOf()),
    network: null,
    diskLimit: false,
    hostUser: { uid: 1000, gid: 1001 },
    ...plan,
  });
}

const ephemeral = {
  options: { name: 'caisson-s', labels, init: ['sleep', '9'] as const, directory: null, credentials: null },
} satisfies Partial<Plan>;

describe('the body of a container', () => {
  test('is exactly this for a plain persistent sandbox', () => {
    expect({ ...bodyOf(), Env: [] }).toEqual({
      Image: 'caisson/base',
      Entrypoint: [],
      Cmd: ['sh', '-c', 'sleep 9'],
      Env: [],
      User: '0:0',
      WorkingDir: '/workspace',
      Hostname: 'sandbox',
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      OpenStdin: true,
      StdinOnce: false,
      Tty: false,
      Healthcheck: { Test: ['NONE'] },
      StopSignal: 'SIGKILL',
      StopTimeout: 0,
      Labels: {
        'caisson.instance': 'i',
        'caisson.sandbox': 's',
        'caisson.task': 't',
        'caisson.fingerprint': 'f',
        'caisson.created': 'c',
        'caisson.schema': '1',
      },
      HostConfig: {
        NanoCpus: 1e9,
        Memory: 4 * gibibyte,
        MemorySwap: 4 * gibibyte,
        MemorySwappiness: 0,
        PidsLimit: 256,
        Ulimits: [
          { Name: 'core', Soft: 0, Hard: 0 },
          { Name: 'nofile', Soft: 4096, Hard: 8192 },
        ],
        OomScoreAdj: 500,
        Privileged: false,
        CapDrop: ['ALL'],
        CapAdd: ['DAC_OVERRIDE', 'CHOWN', 'FOWNER'],
        SecurityOpt: ['no-new-privileges'],
        ReadonlyRootfs: false,
        Mounts: [
          {
            Type: 'bind',
            Source: '/home/u/task/workspace',
            Target: '/workspace',
            ReadOnly: false,
            BindOptions: { Propagation: 'private' },
          },
          {
            Type: 'bind',
            Source: '/home/u/task/root',
            Target: '/root',
            ReadOnly: false,
            BindOptions: { Propagation: 'private' },
          },
        ],
        Tmpfs: {
          '/tmp': 'rw,exec,nosuid,nodev,size=512m',
          '/var/tmp': 'rw,noexec,nosuid,nodev,size=256m',
          '/run': 'rw,noexec,nosuid,nodev,size=64m',
        },
        Init: false,
        NetworkMode: 'none',
        IpcMode: 'private',
        CgroupnsMode: 'private',
        RestartPolicy: { Name: 'no' },
        AutoRemove: false,
        PublishAllPorts: false,
        LogConfig: { Type: 'local', Config: { 'max-size': '1m', 'max-file': '1', compress: 'false' } },
      },
    });
  });

  test('shows credential files read-only, without what is mounted below them (CF-03)', () => {
    const credentials = { source: '/home/u/credentials', target: '/root/.caisson', readOnly: true };
    const body = bodyOf({}, { options: { ...ephemeral.options, credentials } });
    expect(body.HostConfig.Mounts).toEqual([
      {
        Type: 'bind',
        Source: '/home/u/credentials',
        Target: '/root/.caisson',
        ReadOnly: true,
        BindOptions: { Propagation: 'private', NonRecursive: true },
      },
    ]);
  });

  test('takes variables away by which an image could change every command (CH-16)', () => {
    const { Env } = bodyOf();
    expect(Env).toEqual(
      expect.arrayContaining([
        'LD_PRELOAD',
        'BASH_ENV',
        'ENV',
        'NODE_OPTIONS',
        'GIT_SSH_COMMAND',
        'PYTHONSTARTUP',
        'PERL5OPT',
      ]),
    );
    expect(Env.filter((entry) => entry.includes('='))).toEqual([]);
  });

  test('has no capability at all as the host user', () => {
    const body = bodyOf({ hardening: { ...spec.hardening, user: 'host' } });
    expect([body.User, body.HostConfig.CapAdd]).toEqual(['1000:1001', []]);
  });

  test('keeps an ephemeral sandbox in memory, at most half of it a directory', () => {
    const { HostConfig } = bodyOf({ persistent: false }, ephemeral);
    expect(HostConfig.Mounts).toEqual([]);
    expect(HostConfig.Tmpfs).toMatchObject({
      '/workspace': `rw,exec,nosuid,nodev,size=${2 * gibibyte},mode=0755`,
      '/root': `rw,exec,nosuid,nodev,size=${2 * gibibyte},mode=0700`,
    });
  });

  test.each([
    ['a gibibyte when no disk limit was asked for', { diskBytes: null, memoryBytes: 8 * gibibyte }, gibibyte],
    [
      'the disk limit where that is less than half of the memory',
      { diskBytes: 100e6, memoryBytes: 8 * gibibyte },
      100e6,
    ],
    ['a quarter of the host without a memory limit', { diskBytes: 90 * gibibyte, memoryBytes: null }, 4 * gibibyte],
  ])('gives an ephemeral workspace %s', (_what, limits, bytes) => {
    const { Tmpfs } = bodyOf({ persistent: false, limits: { ...spec.limits, ...limits } }, ephemeral).HostConfig;
    expect(Tmpfs['/workspace']).toContain(`size=${bytes},`);
  });

  test('keeps a persistent sandbox without a directory of this host in its own layer', () => {
    const { HostConfig } = bodyOf({}, ephemeral);
    expect([HostConfig.Mounts, Object.keys(HostConfig.Tmpfs)]).toEqual([[], ['/tmp', '/var/tmp', '/run']]);
  });

  test('puts a mount of the caller in the place of its own, and never splits a path at a colon', () => {
    const mounts = [
      { source: '/srv/a:b', target: '/workspace', readOnly: false },
      { source: '/srv/keys', target: '/tmp', readOnly: true },
    ];
    const { Mounts, Tmpfs } = bodyOf({ mounts }).HostConfig;
    expect(Mounts.map(({ Source, Target }) => [Source, Target])).toEqual([
      ['/home/u/task/root', '/root'],
      ['/srv/a:b', '/workspace'],
      ['/srv/keys', '/tmp'],
    ]);
    expect(Mounts[2]).toMatchObject({ ReadOnly: true, BindOptions: { NonRecursive: true, Propagation: 'private' } });
    expect(Object.keys(Tmpfs)).toEqual(['/var/tmp', '/run']);
  });

  test('asks for a size only where the driver holds it', () => {
    expect(bodyOf({}, { diskLimit: true }).HostConfig).toMatchObject({ StorageOpt: { size: String(50 * gibibyte) } });
    expect(bodyOf().HostConfig).not.toHaveProperty('StorageOpt');
  });

  test('leaves out what was not asked for', () => {
    const { HostConfig } = bodyOf(
      { limits: { cpuCores: null, memoryBytes: null, diskBytes: null, pids: null } },
      { diskLimit: true },
    );
    for (const name of [
      'NanoCpus',
      'Memory',
      'MemorySwap',
      'MemorySwappiness',
      'PidsLimit',
      'StorageOpt',
      'ShmSize',
      'Runtime',
    ])
      expect(HostConfig).not.toHaveProperty(name);
  });

  test('asks for no more cores than there are', () => {
    expect(bodyOf({ limits: { ...spec.limits, cpuCores: 64 } }).HostConfig).toMatchObject({ NanoCpus: 4e9 });
  });

  test('has no swappiness under version 2 of cgroups, and a bounded log without the local driver', () => {
    const info = { ...infoOf(), CgroupVersion: '2', Plugins: { Log: ['json-file'] } };
    const { HostConfig } = bodyOf({}, { facts: toFacts(info, versionOf()) });
    expect(HostConfig).not.toHaveProperty('MemorySwappiness');
    expect(HostConfig.LogConfig).toEqual({ Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } });
  });

  test('gives the options of the spec to the engine', () => {
    const hardening = { ...spec.hardening, readOnlyRoot: true, runtime: 'runsc', shmBytes: 2 ** 20 };
    expect(bodyOf({ network: 'open', hardening }, { network: 'n1' }).HostConfig).toMatchObject({
      ReadonlyRootfs: true,
      Runtime: 'runsc',
      ShmSize: 2 ** 20,
      NetworkMode: 'n1',
    });
  });

  test('brings its own seccomp profile for the one architecture of the engine', () => {
    const [, option = ''] = bodyOf({ hardening: { ...spec.hardening, seccomp: 'builtin' } }).HostConfig.SecurityOpt;
    const profile: unknown = JSON.parse(option.slice('seccomp='.length));
    expect(profile).toMatchObject({ defaultAction: 'SCMP_ACT_ERRNO', architectures: ['SCMP_ARCH_X86_64'] });
    for (const name of [
      'socketcall',
      'io_uring_setup',
      'keyctl',
      'bpf',
      'perf_event_open',
      'userfaultfd',
      'mount',
      'unshare',
      'setns',
      'add_key',
      'kexec_load',
    ]) {
      expect(option).not.toContain(`"${name}"`);
    }
  });
});
