/** A file of a current Hermes: each key is taken, or is named as not taken with the reason. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { Loaded } from '../../src/config/types.ts';
import { settingNotices } from '../../src/service/admin/notices.ts';
import { known } from './known.ts';

async function loaded(text: string): Promise<Loaded> {
  const root = mkdtempSync(join(tmpdir(), 'caisson-foreign-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), text, { mode: 0o600 });
  return await loadConfig({ backends: known, home, env: {}, cwd: root });
}

const file = `approvals:
  mode: smart
  timeout: 300
  cron_mode: deny
  single_query_mode: approve
  unattended_mode: deny
  deny: ["git push --force*"]
  mcp_reload_confirm: true
terminal:
  backend: docker
  lifetime_seconds: 600
  home_mode: auto
  temp_dir: ""
  docker_env:
    DEBUG: "1"
  docker_volumes:
    - "/home/user/projects:/workspace/projects"
  docker_extra_args: []
  docker_persist_across_processes: false
  docker_orphan_reaper: true
  docker_shared_container_key: ""
  docker_snap_compat: false
  container_persistent: true
`;

it('loads: what has a counterpart is in force, and each other key is named with its place and the reason', async () => {
  const { config, notices } = await loaded(file);
  expect(config.approvals).toMatchObject({ deny: ['git push --force*'], single_query_mode: 'approve', timeout: 300 });
  expect(config.terminal).toMatchObject({ lifetime_seconds: 600, docker_env: { DEBUG: '1' } });
  expect(notices).toEqual([
    expect.stringMatching(/config\.yaml:16:3: terminal\.docker_volumes is a key of Hermes .*caisson cp copies/),
    expect.stringMatching(/config\.yaml:19:3: terminal\.docker_persist_across_processes .*container_persistent/),
    expect.stringMatching(/config\.yaml:8:3: approvals\.mcp_reload_confirm/),
  ]);
});

it('the notices are those of the service', async () => {
  const read = await loaded('terminal: {home_mode: profile}\n');
  expect(settingNotices(read)).toEqual(read.notices);
  expect(read.notices).toHaveLength(1);
});

it('flags of docker are an error, since what they would add or take away is not in force', async () => {
  await expect(loaded('terminal:\n  docker_extra_args: ["--network=none"]\n')).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringMatching(/config\.yaml:2:3: terminal\.docker_extra_args: .*hardening.*docker_network/),
  });
});

it.each([
  ['1A', 'not start with a digit'],
  ['CAISSON_EXEC', 'reserved'],
  ['DOCKER_HOST', 'leads to the host'],
])('docker_env refuses the name %s', async (name, why) => {
  await expect(loaded(`terminal: {docker_env: {${name}: "1"}}\n`)).rejects.toMatchObject({
    message: expect.stringContaining(why),
  });
});
