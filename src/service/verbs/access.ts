/** `caisson.access`, and its pairing. */
import type { AccessApi } from '../../access/types.ts';
import { admin, run, type Rows } from './row.ts';

const message = {
  ...run('POST', '/v1/access/check', 'Says whether a message is for the agent. A stranger who may pair gets a code.'),
  takes: ['...'],
  owner: 'operator',
} as const;

/** Who may talk is of the installation: only its operator's tokens may ask, and only those with `admin` change it. */
export const access = { message, conversation: message } as const satisfies Rows<AccessApi>;

export const pairing = {
  list: {
    ...admin('GET', '/v1/access/pairings', 'Lists who waits for pairing, and who is paired. Codes are not shown.'),
    gives: { pending: 'list', paired: 'list' },
  },
  approve: {
    ...admin('POST', '/v1/access/pairings', 'Lets the user talk to the agent to whom the code was sent.'),
    takes: ['platform', 'code', 'by'],
    gives: { ids: 'list' },
  },
  revoke: {
    ...admin('POST', '/v1/access/pairings/revoke', 'Takes back that a user may talk, by any id of the person.'),
    takes: ['platform', 'user', 'by'],
    gives: { user: 'object' },
  },
  clearPending: {
    takes: ['platform'],
    owner: 'refused',
    none: '`caisson pairing clear-pending` does it on the host of the service',
  },
} as const satisfies Rows<AccessApi['pairing']>;
