/** Keys of the configuration: `terminal.docker_*`. Reasons for the defaults are in `config/default.yaml`. */
import type { BackendConfig } from '../../src/backend.ts';

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
  schema: async () => (await import('./schema.ts')).schema,
};
