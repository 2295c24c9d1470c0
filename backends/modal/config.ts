/** Keys of the configuration: `terminal.modal_*`. Reasons for the defaults are in `config/default.yaml`. */
import type { BackendConfig } from '../../src/backend.ts';

export const config: BackendConfig = {
  defaults: {
    image: 'nikolaik/python-nodejs:python3.11-nodejs20',
  },
  schema: async () => (await import('./schema.ts')).schema,
};
