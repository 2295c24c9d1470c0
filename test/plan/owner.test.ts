/** What a sandbox of another owner than the operator gets of the configuration. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ownedSettings } from '../../src/plan/owner.ts';
import { resolveSpec } from '../../src/plan/resolve.ts';
import { generous, loadedWith } from './fixtures.ts';

const apart = { ...generous, apart: true } as const;
const loaded = loadedWith({
  docker_image: 'image:1',
  docker_mount_cwd_to_workspace: true,
  docker_run_as_host_user: true,
  docker_forward_env: ['DEPLOY_TOKEN'],
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
  const owned = ownedSettings(settled, apart);
  for (const spec of [owned.spec, owned.configured])
    expect(spec).toMatchObject({ image: 'image:1', mounts: [], hardening: { user: 'root' } });
  expect(owned).toMatchObject({ forwardEnv: [], passEnv: [], skills: [] });
  expect(owned.credentials).toEqual({ configured: [], bySkills: [], directory: settled.credentials.directory });
});

it('a backend that does not say that it keeps owners apart is refused', () => {
  expect(() => ownedSettings(settled, generous)).toThrow(
    expect.objectContaining({ code: 'permission_denied', details: { backend: 'docker' } }),
  );
});
