/**
 * The defaults as plain data: a run without a configuration file needs no schema library. The reasons stand beside each
 * key in `config/default.yaml`.
 */
import type { Settings, Unsectioned } from './types.ts';

const mebibyte = 1024 ** 2;
const gibibyte = 1024 ** 3;
const daySeconds = 86_400;

/** Of a platform of which nothing more can be said. */
const platform = { unauthorized_dm_behavior: null };

export const defaults: Settings = {
  terminal: {
    backend: 'docker',
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
    docker_image: 'nikolaik/python-nodejs:python3.11-nodejs20',
    docker_forward_env: [],
    env_passthrough: [],
    skills: [],
    skill_directories: ['skills'],
    local_environment: 'minimal',
    credential_files: [],
    credential_directory: '/root/.caisson',
    docker_mount_cwd_to_workspace: false,
    docker_network: true,
    docker_run_as_host_user: false,
    docker_shm_size: null,
    docker_runtime: null,
    docker_seccomp: 'builtin',
    modal_image: 'nikolaik/python-nodejs:python3.11-nodejs20',
    ssh_host: null,
    ssh_user: null,
    ssh_port: null,
    ssh_key: null,
    ssh_hosts: {},
    singularity_image: 'docker://nikolaik/python-nodejs:python3.11-nodejs20',
    singularity_network: false,
    singularity_seccomp: 'builtin',
    singularity_user: null,
    singularity_scratch_dir: null,
    singularity_cache_dir: null,
  },
  approvals: {
    mode: 'manual',
    timeout: 60,
    cron_mode: 'deny',
    unattended_mode: 'deny',
    tool_mode: 'autonomous',
    rules: {},
    smart: {},
    denial_breaker_threshold: 3,
  },
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
  exec: {
    lanes: true,
    output_bytes: 50_000,
    spill_bytes: gibibyte,
    retention_seconds: 7 * daySeconds,
    store_bytes: 4 * gibibyte,
  },
  audit: { file_bytes: 16 * mebibyte, store_bytes: 256 * mebibyte },
  pool: { create_concurrency: null },
  discord: { ...platform, require_mention: true, free_response_channels: '', auto_thread: true },
  email: platform,
  mattermost: platform,
  signal: platform,
  slack: platform,
  telegram: platform,
  whatsapp: platform,
};

export const unsectioned: Unsectioned = {
  command_allowlist: [],
  unauthorized_dm_behavior: null,
  group_sessions_per_user: true,
  mcp_servers: {},
  tasks: {},
};
