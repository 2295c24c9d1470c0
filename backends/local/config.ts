/** Keys of the configuration: `terminal.local_*`. Reasons for the defaults are in `config/default.yaml`. */
import type { BackendConfig } from '../../src/backend.ts';

export const config: BackendConfig = {
  defaults: {
    environment: 'minimal',
  },
  placeKeys: ['environment'],
  schema: async () => (await import('./schema.ts')).schema,
};
