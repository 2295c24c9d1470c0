/** Keys of the configuration: `terminal.modal_*`. Reasons for the defaults are in `config/default.yaml`. */
import type { BackendConfig } from '../../src/backend.ts';

export const config: BackendConfig = {
  defaults: {
    image: 'nikolaik/python-nodejs:python3.11-nodejs20',
    network: true,
    app: 'caisson',
    lifetime_seconds: 86_400,
    idle_seconds: 900,
    max_sandboxes: 20,
  },
  placeKeys: ['app'],
  foreign: { mode: { why: 'Modal is asked with the credentials of this host', same: 'auto' } },
  schema: async () => (await import('./schema.ts')).schema,
};
