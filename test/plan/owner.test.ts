/** What a sandbox of another owner than the operator gets of the configuration. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Allowed } from '../../src/config/owners.ts';
import { cappedSettings, ownedBackend, ownedSettings } from '../../src/plan/owner.ts';
import type { SandboxRequest } from '../../src/plan/types.ts';
import { resolveSpec } from '../../src/plan/resolve.ts';
import { generous, loadedWith } from './fixtures.ts';

const apart = { ...generous, apart: true } as const;
const loaded = loadedWith({
  docker_image: 'image:1',
  docker_mount_cwd_to_workspace: true,
  docker_run_as_host_user: true,
  docker_forward_env: ['DEPLOY_TOKEN'],
  docker_env: { DEPLOY_HOST: 'build.example' },
  env_passthrough: ['API_TOKEN'],
  skills: ['deploy'],
  credential_files: ['token.json'],
});
const host = { cwd: mkdtempSync(join(tmpdir(), 'caisson-owner-')), env: {} };
afterAll(() => rmSync(host.cwd, { recursive: true }));
const settled = resolveSpec(loaded, { taskId: 'alice.build', backend: 'docker' }, apart, host);

it('no variable, credential file, skill, mount or user of the host is passed on', () => {
  expect([settled.spec.mounts.length, settled.forwardEnv, settled.passEnv, settled.skills]).toEqual([
    1,
    ['DEPLOY_TOKEN'],
    ['API_TOKEN'],
    ['deploy'],
  ]);
  const owned = ownedSettings(settled, { ...apart, allowed: {} });
  for (const spec of [owned.spec, owned.configured])
    expect(spec).toMatchObject({ image: 'image:1', mounts: [], hardening: { user: 'root' } });
  expect(settled.setEnv).toEqual({ DEPLOY_HOST: 'build.example' });
  expect(owned).toMatchObject({ forwardEnv: [], passEnv: [], skills: [] });
  expect(owned.setEnv).toEqual({});
  expect(owned.credentials).toEqual({ configured: [], bySkills: [], directory: settled.credentials.directory });
});

it('a backend that does not say that it keeps owners apart is refused', () => {
  expect(() => ownedSettings(settled, { ...generous, allowed: { images: ['image:1'] } })).toThrow(
    expect.objectContaining({ code: 'permission_denied', details: { backend: 'docker' } }),
  );
});

it('a backend that the configuration names for the owner is one of its own, whatever it shares', () => {
  const allowed = { backends: ['docker'] };
  expect(ownedSettings(settled, { ...generous, allowed })).toMatchObject({ spec: { backend: 'docker' } });
});

it('only backends that the configuration names may be asked for, and the first of them is the usual one', () => {
  const allowed = { backends: ['docker', 'modal'] };
  expect([
    ownedBackend({}, 'modal', allowed),
    ownedBackend({}, 'local', allowed),
    ownedBackend({}, 'local', {}),
  ]).toEqual(['modal', 'docker', 'local']);
  expect(() => ownedBackend({ backend: 'local' }, 'docker', allowed)).toThrow(
    expect.objectContaining({ code: 'permission_denied', details: { backend: 'local' } }),
  );
});

const allowed: Allowed = { images: ['image:2', 'image:3'], network: 'none', cpu: 0.5, memory: 256, disk: 512 };
const capped = (request: SandboxRequest) => {
  const given = { taskId: 'alice.build', backend: 'docker', ...request };
  return cappedSettings(resolveSpec(loaded, given, apart, { ...host, cwd: null }), allowed);
};

it('what the request leaves open is lowered to what the owner may have, and must be held', () => {
  const { spec, asked } = capped({});
  expect(spec).toMatchObject({
    image: 'image:2',
    network: 'none',
    limits: { cpuCores: 0.5, memoryBytes: 256 * 1024 ** 2, diskBytes: 512 * 1024 ** 2 },
  });
  for (const control of ['network', 'cpuCores', 'memoryBytes', 'diskBytes']) expect(asked).toContain(control);
});

it('less than that may be asked for', () => {
  const { spec } = capped({
    image: 'image:3',
    network: 'none',
    limits: { cpuCores: 0.25, memoryBytes: 64 * 1024 ** 2 },
  });
  expect(spec).toMatchObject({ image: 'image:3', limits: { cpuCores: 0.25, memoryBytes: 64 * 1024 ** 2 } });
});

it.each<[string, SandboxRequest]>([
  ['cpuCores', { limits: { cpuCores: 1 } }],
  ['memoryBytes', { limits: { memoryBytes: 512 * 1024 ** 2 } }],
  ['diskBytes', { limits: { diskBytes: null } }],
  ['network', { network: 'open' }],
  ['image', { image: 'image:4' }],
])('more is refused, with the name of the bound: %s', (name, request) => {
  expect(() => capped(request)).toThrow(
    expect.objectContaining({ code: 'permission_denied', message: expect.stringContaining(name) }),
  );
});
