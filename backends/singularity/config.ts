/** Keys of the configuration: `terminal.singularity_*`. Reasons for the defaults are in `config/default.yaml`. */
import type { BackendConfig } from '../../src/backend.ts';

export const config: BackendConfig = {
  defaults: {
    image: 'docker://nikolaik/python-nodejs:python3.11-nodejs20',
    network: false,
    seccomp: 'builtin',
    user: null,
    scratch_dir: null,
    cache_dir: null,
  },
  placeKeys: ['user', 'scratch_dir', 'cache_dir'],
  schema: async () => (await import('./schema.ts')).schema,
};
