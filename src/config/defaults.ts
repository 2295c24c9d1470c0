/**
 * The defaults as plain data: a run without a configuration file needs no schema library. The reasons stand beside each
 * key in `config/default.yaml`.
 */
import { CaissonError } from '../errors.ts';
import { defaultLimits } from '../budget/kinds.ts';
import { backendKey, type BackendKeys } from './backends.ts';
import type { Settings, Unsectioned } from './types.ts';

const mebibyte = 1024 ** 2;
const gibibyte = 1024 ** 3;
const daySeconds = 86_400;

/** Defaults of a messaging platform that has no keys of its own. */
const platform = { unauthorized_dm_behavior: null };

const core: Omit<Settings, 'terminal'> & { readonly terminal: Omit<Settings['terminal'], 'backend'> } = {
  terminal: {
    cwd: null,
    timeout: 180,
    lifetime_seconds: 300,
    max_lifetime_seconds: null,
    allow_degraded: false,
    container_cpu: 1,
    container_memory: 5120,
    container_disk: 51_200,
    container_pids: 256,
    container_persistent: true,
    container_read_only: false,
    env_passthrough: [],
    skills: [],
    skill_directories: ['skills'],
    credential_files: [],
    credential_directory: '/root/.caisson',
  },
  approvals: {
    mode: 'manual',
    timeout: 60,
    remote_timeout: 600,
    session_seconds: 8 * 3600,
    cron_mode: 'deny',
    single_query_mode: 'deny',
    unattended_mode: 'deny',
    tool_mode: 'autonomous',
    deny: [],
    rules: {},
    smart: {},
    denial_breaker_threshold: 3,
  },
  acp: { edits: 'ask' },
  hooks: { pre_tool_call: {}, auto_accept: false },
  tool_loop_guardrails: {
    enabled: false,
    warn_after: { exact_failure: 2, same_tool_failure: 3, idempotent_no_progress: 2 },
    hard_stop_after: { exact_failure: 5, same_tool_failure: 8, idempotent_no_progress: 5 },
    window_seconds: 900,
  },
  policy: { require_patched_runtime: false, profile: 'standard', container_hardline: false },
  security: {
    redact_secrets: true,
    secret_sources: {},
    website_blocklist: {},
    tirith_enabled: true,
    tirith_path: 'tirith',
    tirith_timeout: 5,
    tirith_fail_open: true,
    tirith_block: 'prompt',
  },
  network: {
    mode: null,
    allow: [],
    deny: [],
    ports: [],
    presets: [],
    ask: false,
    allow_private: [],
    open_private: null,
    nat64_prefix: null,
  },
  exec: {
    lanes: true,
    output_bytes: 50_000,
    spill_bytes: gibibyte,
    retention_seconds: 7 * daySeconds,
    store_bytes: 4 * gibibyte,
  },
  audit: { file_bytes: 16 * mebibyte, store_bytes: 256 * mebibyte },
  pool: { create_concurrency: null, entries: {}, keep: false },
  server: {
    host: '127.0.0.1',
    port: 7480,
    socket: null,
    hosts: [],
    origins: [],
    tls_cert: null,
    tls_key: null,
    proxies: [],
    shutdown_seconds: 10,
    dashboard: true,
    samples: true,
    limits: defaultLimits,
  },
  discord: { ...platform, require_mention: true, free_response_channels: '', auto_thread: true },
  email: platform,
  mattermost: platform,
  signal: platform,
  slack: platform,
  telegram: platform,
  whatsapp: platform,
};

/** Throws `invalid_argument` when a key of a backend is taken. */
export function collectDefaults({ usual, configs }: BackendKeys): Settings {
  const own: Record<string, unknown> = {};
  for (const [name, { defaults }] of Object.entries(configs))
    for (const [key, value] of Object.entries(defaults)) {
      const full = backendKey(name, key);
      if (Object.hasOwn(core.terminal, full) || Object.hasOwn(own, full)) throw keyTakenError(name, full);
      own[full] = value;
    }
  return { ...core, terminal: { ...core.terminal, ...own, backend: usual } };
}

function keyTakenError(backend: string, key: string): CaissonError {
  return new CaissonError('invalid_argument', `the backend ${backend} has the key terminal.${key}, which is taken`, {
    remedy: 'register it under another name, or rename its key',
  });
}

/** Sizes that are set for everybody: to write one of them into the file demands nothing. */
export const defaultSizes: Readonly<Record<string, number | null>> = {
  container_cpu: core.terminal.container_cpu,
  container_memory: core.terminal.container_memory,
  container_disk: core.terminal.container_disk,
};

export const unsectioned: Unsectioned = {
  backends: {},
  command_allowlist: [],
  unauthorized_dm_behavior: null,
  group_sessions_per_user: true,
  mcp_servers: {},
  webhooks: {},
  owners: {},
  registries: {},
  tasks: {},
};
