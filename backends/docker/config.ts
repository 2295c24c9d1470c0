/** Keys of the configuration: `terminal.docker_*`. Reasons for the defaults are in `config/default.yaml`. */
import type { BackendConfig } from '../../src/backend.ts';

export const config: BackendConfig = {
  defaults: {
    image: 'nikolaik/python-nodejs:python3.11-nodejs20',
    forward_env: [],
    mount_cwd_to_workspace: false,
    network: true,
    run_as_host_user: false,
    shm_size: null,
    runtime: null,
    seccomp: 'builtin',
  },
  schema: async () => (await import('./schema.ts')).schema,
};
