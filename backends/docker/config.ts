/** Keys of the configuration: `terminal.docker_*`. Reasons for the defaults are in `config/default.yaml`. */
import type { BackendConfig } from '../../src/backend.ts';

const ofTask =
  'a sandbox belongs to a task and stays with it; terminal.container_persistent and terminal.lifetime_seconds say how long';

export const config: BackendConfig = {
  defaults: {
    host: null,
    image: 'nikolaik/python-nodejs:python3.11-nodejs20',
    forward_env: [],
    env: {},
    mount_cwd_to_workspace: false,
    network: true,
    run_as_host_user: false,
    shm_size: null,
    runtime: null,
    seccomp: 'builtin',
  },
  // Mounts, network rules and the egress proxy look for the engine in the environment, as the docker command does.
  variables: ({ host }) => {
    if (typeof host !== 'string') return {};
    return { DOCKER_HOST: host, ...(host.startsWith('tcp:') ? { DOCKER_TLS_VERIFY: '1' } : {}) };
  },
  placeKeys: ['host'],
  foreign: {
    extra_args: {
      why: 'flags of docker could take the hardening away: docker_network, docker_shm_size, docker_runtime, docker_seccomp and container_* say what a sandbox has',
      isError: true,
    },
    volumes: {
      why: 'no directory of the host is bound but that of the caller (docker_mount_cwd_to_workspace): caisson cp copies files in and out',
    },
    persist_across_processes: { why: ofTask, same: true },
    orphan_reaper: { why: 'sandboxes without an owner are always removed', same: true },
    shared_container_key: { why: 'commands share a sandbox by naming the same task' },
    snap_compat: { why: 'the engine is asked over its socket, without the docker command', same: false },
  },
  schema: async () => (await import('./schema.ts')).schema,
};
