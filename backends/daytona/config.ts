/** Keys of the configuration: `terminal.daytona_*`. Reasons for the defaults are in `config/default.yaml`. */
import type { BackendConfig } from '../../src/backend.ts';

export const config: BackendConfig = {
  defaults: {
    image: 'nikolaik/python-nodejs:python3.11-nodejs20',
    network: true,
    api_url: 'https://app.daytona.io/api',
    target: 'us',
    max_sandboxes: 10,
    idle_minutes: 30,
    archive_minutes: 10_080,
    lifetime_minutes: 1440,
    max_cpu: 4,
    max_memory: 8,
    max_disk: 10,
  },
  placeKeys: ['api_url', 'target'],
  schema: async () => (await import('./schema.ts')).schema,
};
