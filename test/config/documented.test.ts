/**
 * Snippets of configuration as the documents print them, with their comments: each loads, and its values are those in
 * force. What they do is tested where it is done; snippets about what is asked for are in test/guard/documented.test.ts,
 * those about who is heard in test/access/messages.test.ts.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { known } from './known.ts';
import { hooksOf } from '../../src/guard/hooks/configured.ts';
import type { Loaded } from '../../src/config/types.ts';

async function loaded(text: string): Promise<Loaded> {
  const root = mkdtempSync(join(tmpdir(), 'caisson-documented-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), text, { mode: 0o600 });
  return await loadConfig({ backends: known, home, env: {}, cwd: root });
}

const snippets: Readonly<Record<string, readonly [text: string, values: object]>> = {
  'the Docker backend': [
    `terminal:
  backend: docker
  docker_image: "nikolaik/python-nodejs:python3.11-nodejs20"
  docker_forward_env: [] # Explicit allowlist only; empty keeps secrets out of the container
  container_cpu: 1 # CPU cores
  container_memory: 5120 # MB (default 5GB)
  container_disk: 51200 # MB (default 50GB, requires overlay2 on XFS)
  container_persistent: true # Persist filesystem across sessions
`,
    {
      terminal: {
        backend: 'docker',
        docker_image: 'nikolaik/python-nodejs:python3.11-nodejs20',
        docker_forward_env: [],
        container_cpu: 1,
        container_memory: 5120,
        container_disk: 51_200,
        container_persistent: true,
      },
    },
  ],
  'the Docker backend and its directory': [
    `terminal:
  backend: "docker"
  docker_image: "nikolaik/python-nodejs:python3.11-nodejs20"
  cwd: "/workspace"
  docker_mount_cwd_to_workspace: false   # Off by default — opt in to mount host cwd
  container_persistent: true            # Persist filesystem across sessions
`,
    { terminal: { backend: 'docker', cwd: '/workspace', docker_mount_cwd_to_workspace: false } },
  ],
  'the ssh backend': [
    `terminal:
  backend: ssh
  ssh_host: "agent-worker.local"
  ssh_user: "hermes"
  ssh_key: "~/.ssh/hermes_agent_key"
`,
    {
      terminal: {
        backend: 'ssh',
        ssh_host: 'agent-worker.local',
        ssh_user: 'hermes',
        ssh_key: '~/.ssh/hermes_agent_key',
      },
    },
  ],
  'the ssh backend with a port': [
    `terminal:
  backend: "ssh"
  ssh_host: "my-server.example.com"
  ssh_user: "agent"
  ssh_port: 22
  ssh_key: "~/.ssh/id_rsa"
`,
    { terminal: { ssh_host: 'my-server.example.com', ssh_user: 'agent', ssh_port: 22, ssh_key: '~/.ssh/id_rsa' } },
  ],
  'the Modal backend': [
    `terminal:
  backend: "modal"
  modal_image: "nikolaik/python-nodejs:python3.11-nodejs20"
  container_persistent: true
`,
    {
      terminal: {
        backend: 'modal',
        modal_image: 'nikolaik/python-nodejs:python3.11-nodejs20',
        container_persistent: true,
      },
    },
  ],
  'strangers who write directly': [
    `unauthorized_dm_behavior: pair
whatsapp:
  unauthorized_dm_behavior: ignore
`,
    { unauthorized_dm_behavior: 'pair', whatsapp: { unauthorized_dm_behavior: 'ignore' } },
  ],
  'conversations in groups': ['group_sessions_per_user: true\n', { group_sessions_per_user: true }],
  'channels of Discord': [
    `discord:
  require_mention: true          # Default — bot only responds when @mentioned
  free_response_channels: ""     # Channel IDs where mention is not required
  auto_thread: true              # Auto-create threads on @mention
`,
    { discord: { require_mention: true, free_response_channels: '', auto_thread: true } },
  ],
  'tirith, with every key explained': [
    `security:
  tirith_enabled: true # Enable/disable tirith scanning (default: true)
  tirith_path: "tirith" # Path to tirith binary (default: PATH lookup)
  tirith_timeout: 5 # Subprocess timeout in seconds
  tirith_fail_open: true # Allow execution when tirith is unavailable (default: true)
`,
    { security: { tirith_enabled: true, tirith_path: 'tirith', tirith_timeout: 5, tirith_fail_open: true } },
  ],
  tirith: [
    `security:
  tirith_enabled: true
  tirith_path: "tirith"
  tirith_timeout: 5
  tirith_fail_open: true   # Allow commands if tirith is unavailable
`,
    { security: { tirith_enabled: true, tirith_path: 'tirith', tirith_timeout: 5, tirith_fail_open: true } },
  ],
  redaction: [
    'security:\n  redact_secrets: true   # Redact API keys/tokens from tool output (default: on)\n',
    { security: { redact_secrets: true } },
  ],
  'approvals and the list of what is approved': [
    'approvals:\n  mode: manual    # manual | smart | off\ncommand_allowlist:\n  - "recursive delete"\n  - "shell command via -c/-lc flag"\n',
    { approvals: { mode: 'manual' }, command_allowlist: ['recursive delete', 'shell command via -c/-lc flag'] },
  ],
};

it.each(Object.entries(snippets))(
  'the snippet about %s is in force as it is printed',
  async (_about, [text, values]) => {
    const { config, origins } = await loaded(text);
    expect(config).toMatchObject(values);
    const fromFile = Object.values(origins).filter((origin) => origin.includes('config.yaml:'));
    expect(fromFile.length).toBeGreaterThan(0);
  },
);

it('the snippet about hooks names its scripts in their order', async () => {
  const text = `hooks:
  pre_tool_call:
    terminal:
      - ~/scripts/security-check.py
      - ~/scripts/audit-logger.sh
`;
  const { terminal = [] } = hooksOf((await loaded(text)).config);
  expect(terminal.map(({ command }) => command)).toEqual([
    ['~/scripts/security-check.py'],
    ['~/scripts/audit-logger.sh'],
  ]);
});
