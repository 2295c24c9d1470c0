/** `caisson.backends`. */
import type { BackendsApi } from '../api.ts';
import { admin, read, type Rows } from './row.ts';

const keys = '/v1/backends/{name}/host-keys';

export const backends = {
  check: {
    ...read(
      'GET',
      '/v1/backends',
      'Tells whether each backend can be used here, and what is wrong with it; with the scope admin, its facts and findings too.',
    ),
    takes: ['names'],
    owner: 'operator',
  },
  account: {
    ...admin('GET', '/v1/backends/{name}/account', 'Lists what runs, or is kept, in the account of a backend.'),
    takes: ['names'],
  },
  hostKeys: {
    ...admin('GET', keys, 'Asks the hosts of a backend for their keys.'),
    takes: ['name'],
    gives: [{ host: 'text' }],
  },
  confirmHostKey: {
    ...admin('POST', keys, 'Confirms the key of a host, whose fingerprint a person has compared.'),
    takes: ['name', '...'],
  },
} as const satisfies Rows<BackendsApi>;
