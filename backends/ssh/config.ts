/** Keys of the configuration: `terminal.ssh_*`. Reasons for the defaults are in `config/default.yaml`. */
import type { BackendConfig } from '../../src/backend.ts';

export const config: BackendConfig = {
  defaults: {
    host: null,
    user: null,
    port: null,
    key: null,
    hosts: {},
  },
  placeKeys: ['host', 'user', 'port', 'key', 'hosts'],
  schema: async () => (await import('./schema.ts')).schema,
};
