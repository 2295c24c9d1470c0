import { mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Keys } from './fixtures.ts';
import { resolveSpec, type Settled } from '../../src/plan/resolve.ts';
import type { SandboxRequest } from '../../src/plan/types.ts';
import { newHome } from '../config/home.ts';
import { bare, generous, loadedWith } from './fixtures.ts';
import { containing } from '../matchers.ts';

const host = { cwd: '/nowhere', env: {} };

function wanted(request: SandboxRequest = {}, set: Keys = {}): Settled {
  return resolveSpec(loadedWith(set), { taskId: 'a', ...request }, generous, host);
}

describe('resolveSpec', () => {
  it('makes the default spec of a container from the defaults', () => {
    const { configured, said, usualImage, ...rest } = wanted();
    expect([configured, said, usualImage]).toEqual([rest.spec, new Set(), true]);
    expect(rest).toEqual({
      spec: {
        backend: 'docker',
        image: 'nikolaik/python-nodejs:python3.11-nodejs20',
        limits: { cpuCores: 1, memoryBytes: 5120 * 2 ** 20, diskBytes: 51_200 * 2 ** 20, pids: 256 },
        network: 'open',
        persistent: true,
        cwd: '/workspace',
        mounts: [],
        hardening: { readOnlyRoot: false, seccomp: 'builtin', runtime: null, shmBytes: null, user: 'root' },
      },
      asked: new Set(),
      keepsPrivate: true,
      configuredCwd: null,
      timeoutMs: 180_000,
      idleMs: 300_000,
      labels: {},
      times: {},
      ttlMs: null,
      forwardEnv: [],
      setEnv: {},
      passEnv: [],
      skills: [],
      credentials: { configured: [], bySkills: [], directory: '/root/.caisson' },
      allowDegraded: false,
      ephemeral: false,
    });
  });

  it('reads keys that carry the name of another backend as absent', () => {
    const { spec } = wanted({ backend: 'elsewhere' });
    expect(spec).toMatchObject({
      backend: 'elsewhere',
      image: null,
      network: 'open',
      hardening: { seccomp: 'engine', runtime: null, user: 'root' },
    });
  });

  it('takes each configured key', () => {
    const { spec, configured, said, usualImage, asked, ...rest } = wanted(
      {},
      {
        timeout: 0.5,
        lifetime_seconds: 0,
        max_lifetime_seconds: 60,
        allow_degraded: true,
        container_cpu: null,
        container_memory: 64,
        container_disk: 1,
        container_pids: 2,
        container_persistent: false,
        container_read_only: true,
        docker_image: 'debian:12',
        docker_forward_env: ['B', 'A', 'B'],
        docker_env: { DEBUG: '1' },
        env_passthrough: ['C', 'C'],
        docker_network: false,
        docker_run_as_host_user: true,
        docker_shm_size: '64M',
        docker_runtime: 'runsc',
        docker_seccomp: 'engine',
        cwd: '/srv//x/./',
      },
    );
    expect(spec).toEqual({
      backend: 'docker',
      image: 'debian:12',
      limits: { cpuCores: null, memoryBytes: 64 * 2 ** 20, diskBytes: 2 ** 20, pids: 2 },
      network: 'none',
      persistent: false,
      cwd: '/srv/x',
      mounts: [],
      hardening: { readOnlyRoot: true, seccomp: 'engine', runtime: 'runsc', shmBytes: 64 * 2 ** 20, user: 'host' },
    });
    expect([configured, said, usualImage]).toEqual([spec, new Set(), false]);
    expect(rest).toEqual({
      keepsPrivate: true,
      configuredCwd: '/srv/x',
      timeoutMs: 500,
      idleMs: null,
      ttlMs: 60_000,
      labels: {},
      times: {},
      forwardEnv: ['B', 'A'],
      setEnv: { DEBUG: '1' },
      passEnv: ['C'],
      skills: [],
      credentials: { configured: [], bySkills: [], directory: '/root/.caisson' },
      allowDegraded: true,
      ephemeral: false,
    });
    expect([...asked].sort()).toEqual([
      'cpuCores',
      'diskBytes',
      'memoryBytes',
      'network',
      'persistent',
      'pids',
      'readOnlyRoot',
      'runtime',
      'seccomp',
      'shmBytes',
      'user',
    ]);
  });

  it.each([
    ['64m', 2 ** 26],
    ['1G', 2 ** 30],
    ['4096k', 2 ** 22],
    ['100b', 100],
    ['100', 100],
    [12_345, 12_345],
  ])('reads a size of %s as %i bytes', (docker_shm_size, bytes) => {
    expect(wanted({}, { docker_shm_size }).spec.hardening.shmBytes).toBe(bytes);
  });

  it('lets the request win, also with null and false, and counts it as asked', () => {
    const request = {
      image: 'alpine',
      limits: { cpuCores: 2, memoryBytes: null },
      network: 'none',
      persistent: false,
      cwd: '/tmp',
      allowDegraded: false,
    } as const;
    const { spec, asked, allowDegraded } = wanted(request, {
      container_memory: 64,
      allow_degraded: true,
      cwd: '/srv',
      docker_network: true,
    });
    expect(spec).toMatchObject({
      image: 'alpine',
      limits: { cpuCores: 2, memoryBytes: null, pids: 256 },
      network: 'none',
      persistent: false,
      cwd: '/tmp',
    });
    expect(allowDegraded).toBe(false);
    expect([...asked].sort()).toEqual(['cpuCores', 'image', 'memoryBytes', 'network', 'persistent']);
  });

  it('starts in / where there is no container', () => {
    expect(resolveSpec(loadedWith(), { taskId: 'a', backend: 'local' }, bare, host).spec.cwd).toBe('/');
    const elsewhere = { ...bare, directories: { home: '/home/agent', tasks: '/home/agent/tasks' } };
    const cwdOf = (request: SandboxRequest): string =>
      resolveSpec(loadedWith(), { backend: 'local', ...request }, elsewhere, host).spec.cwd;
    expect(cwdOf({ taskId: 'a' })).toBe('/home/agent/tasks/a');
    expect(cwdOf({})).toBe('/home/agent');
    expect(cwdOf({ taskId: 'a', cwd: '/srv' })).toBe('/srv');
  });

  it('takes overrides of the task, and of patterns for tasks without a name', async () => {
    await using home = await newHome();
    const loaded = await home.load({ config: 'tasks:\n  big: {container_cpu: 8}\n  eph-*: {container_cpu: 0.5}\n' });
    const cores = (request: SandboxRequest): number | null =>
      resolveSpec(loaded, request, generous, host).spec.limits.cpuCores;
    expect([cores({ taskId: 'big' }), cores({}), cores({ taskId: 'other' })]).toEqual([8, 0.5, 1]);
    expect(resolveSpec(loaded, { taskId: 'big' }, generous, host).asked).toEqual(new Set(['cpuCores']));
    expect(resolveSpec(loaded, {}, generous, host).ephemeral).toBe(true);
  });

  it.each([
    [{ taskId: '../x' }, 'is not a task id'],
    [{ image: '--privileged' }, 'is not an image'],
    [{ cwd: '/proc/self/fd/7' }, 'cannot be a working directory'],
    [{ cwd: '/proc/1/cwd' }, 'cannot be a working directory'],
    [{ cwd: 'relative' }, 'cannot be a working directory'],
    [{ cwd: '/a/../../b' }, 'cannot be a working directory'],
    [{ cwd: '/a\nb' }, 'cannot be a working directory'],
    [{ cwd: '/a\0b' }, 'cannot be a working directory'],
    [{ limits: { cpuCores: 0 } }, 'the limit cpuCores'],
    [{ limits: { memoryBytes: -1 } }, 'the limit memoryBytes'],
    [{ limits: { memoryBytes: 2 ** 30 + 0.5 } }, 'the limit memoryBytes'],
    [{ limits: { pids: Number.NaN } }, 'the limit pids'],
    [{ limits: { diskBytes: Infinity } }, 'the limit diskBytes'],
  ])('refuses %j (CH-11, API-13, API-14)', (request, message) => {
    expect(() => wanted(request)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: containing(message) }),
    );
  });

  it('refuses what the types forbid, since requests come as JSON too (CH-13)', () => {
    for (const [key, value] of [
      ['network', 'host'],
      ['image', 5],
      ['cwd', {}],
      ['taskId', 7],
      ['limits', { pids: '5' }],
      ['limits', { gpus: 1 }],
      ['limits', null],
      ['persistent', 'no'],
      ['backend', ['docker']],
    ] as const) {
      const request: object = { taskId: 'a', [key]: value };
      expect(() => resolveSpec(loadedWith(), request, generous, host)).toThrow(
        expect.objectContaining({ code: 'invalid_argument' }),
      );
    }
  });
});

describe('binding the working directory', () => {
  it('resolves links first, so that one place makes one spec', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'caisson-spec-'));
    try {
      await symlink(directory, join(directory, 'link'));
      const { spec, asked } = resolveSpec(
        loadedWith({ docker_mount_cwd_to_workspace: true }),
        { taskId: 'a' },
        generous,
        { cwd: join(directory, 'link'), env: {} },
      );
      expect(spec.mounts).toEqual([{ source: await realpath(directory), target: '/workspace', readOnly: false }]);
      expect(asked).toEqual(new Set(['mounts']));
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it.each(['/', '/etc', '/nowhere/at/all'])('refuses %s', (cwd) => {
    expect(() =>
      resolveSpec(loadedWith({ docker_mount_cwd_to_workspace: true }), { taskId: 'a' }, generous, { cwd, env: {} }),
    ).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });
});

describe('the directory of the caller', () => {
  const project = async () => await realpath(await mkdtemp(join(tmpdir(), 'caisson-project-')));

  it('is bound at its own path, where commands then start, and not for requests that do not say so', async () => {
    const cwd = await project();
    const resolved = (request: SandboxRequest, guarantees = generous) =>
      resolveSpec(loadedWith({}), { taskId: 'a', ...request }, guarantees, { cwd, env: {} });
    const { spec, configured, asked } = resolved({ project: true });
    expect(spec).toMatchObject({ cwd, mounts: [{ source: cwd, target: cwd, readOnly: false }] });
    expect([configured.mounts, asked.has('mounts')]).toEqual([[], true]);
    expect(resolved({}).spec).toMatchObject({ cwd: '/workspace', mounts: [] });
    expect(resolved({ project: true }, bare).spec.cwd).toBe(cwd);
    await rm(cwd, { recursive: true });
  });

  it('is no home directory', () => {
    const home = { cwd: tmpdir(), env: { HOME: tmpdir() } };
    expect(() => resolveSpec(loadedWith({}), { taskId: 'a', project: true }, generous, home)).toThrow(
      'cannot be mounted',
    );
  });
});
