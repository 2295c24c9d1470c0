/** Records of one owner: changes of state, and the audit. */
import type { AuditApi, AuditRecord, EventsApi } from '../api.ts';
import type { Mine } from './place.ts';
import { refused } from './refused.ts';
import type { Scope } from './scope.ts';

export function eventsOf({ api: { events }, scope }: Mine): EventsApi {
  return {
    kept: (after) => events.kept(after),
    async *follow(how = {}, options = {}) {
      for await (const event of events.follow({ ...how, owner: scope.owner }, options))
        yield { ...event, data: { ...event.data, ...idsOf(scope, event.data) } };
    },
  };
}

/** The chain goes over the records of all owners: only the operator can verify it. */
export function auditOf({ api: { audit }, scope }: Mine): AuditApi {
  return {
    async *tail(how, options) {
      for await (const record of audit.tail({ ...how, owner: scope.owner }, options)) yield shown(scope, record);
    },
    verify: refused,
  };
}

/** Which process of the host has written it is the operator's. */
function shown(scope: Scope, { holder: _, ...record }: AuditRecord): AuditRecord {
  return { ...record, ...idsOf(scope, record) };
}

function idsOf(scope: Scope, { taskId, execId }: Readonly<Record<string, unknown>>) {
  return {
    ...(typeof taskId === 'string' ? scope.ofTask({ taskId }) : {}),
    ...(typeof execId === 'string' ? { execId: scope.exec(execId) } : {}),
  };
}
