/** `caisson.audit`, `caisson.history` and `caisson.events`. */
import type { AuditApi } from '../api.ts';
import type { EventsApi } from '../events.ts';
import type { HistoryApi } from '../history.ts';
import { admin, read, type Rows } from './row.ts';

export const audit = {
  tail: {
    ...read(
      'GET',
      '/v1/audit',
      'Streams the last records of what was decided and run for the owner; with follow, also those to come.',
    ),
    takes: ['...'],
  },
  verify: {
    ...admin('GET', '/v1/audit/verification', 'Tells whether records were changed or removed.'),
    gives: { intact: 'flag', records: 'number', torn: 'number', broken: 'object?' },
  },
} as const satisfies Rows<AuditApi>;

export const history = {
  list: {
    ...read(
      'GET',
      '/v1/history',
      'Lists commands, texts of sessions, detached processes and copies with their ends, newest first; kept for exec.retention_seconds.',
    ),
    takes: ['...?'],
    keys: {
      limit: true,
      cursor: true,
      task: true,
      owner: true,
      sandboxes: true,
      since: true,
      until: true,
      outcomes: true,
    },
    brief: true,
  },
} as const satisfies Rows<HistoryApi>;

export const events = {
  follow: {
    ...read(
      'GET',
      '/v1/events',
      'Streams changes of state of sandboxes, execs, processes and approvals of the owner from `after` on.',
    ),
    takes: ['...?'],
  },
  kept: {
    ...read(
      'GET',
      '/v1/events/kept',
      'Tells which changes of state are kept, so that a reader may begin behind the newest one.',
    ),
    takes: ['after', 'owner'],
    brief: true,
    gives: { oldest: 'number', newest: 'number' },
  },
} as const satisfies Rows<EventsApi>;
