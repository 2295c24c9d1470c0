/** Keys of the configuration: `terminal.kubernetes_*`. Reasons for the defaults are in `config/default.yaml`. */
import type { BackendConfig } from '../../src/backend.ts';

export const config: BackendConfig = {
  defaults: {
    image: 'nikolaik/python-nodejs:python3.11-nodejs20',
    network: true,
    kubeconfig: null,
    context: null,
    namespace: null,
    init_image: null,
    storage_class: null,
    runtime_class: null,
    node_selector: {},
    tolerations: [],
    image_pull_secrets: [],
    service_account: null,
    pending_seconds: 300,
    policy_canary: true,
  },
  placeKeys: ['kubeconfig', 'context', 'namespace'],
  schema: async () => (await import('./schema.ts')).schema,
};
