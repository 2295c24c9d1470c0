/** Records of one owner: changes of state, and the audit. */
import type { AuditApi, AuditRecord, EventsApi, HistoryApi } from '../api.ts';
import type { Bound } from './bound.ts';
import { audit as rows } from '../verbs/records.ts';
import { made } from './made.ts';
import { refuse } from './refused.ts';
import type { Mine } from './place.ts';
import type { Scope } from './scope.ts';

export function eventsOf({ api: { events }, scope, bound, place }: Mine): EventsApi {
  const isSeen = seenBy(bound);
  return {
    kept: (after) => events.kept(after, scope.owner),
    async *follow(how = {}, options = {}) {
      const named = how.task === undefined ? {} : { task: await place(how.task) };
      for await (const event of events.follow({ ...how, ...named, owner: scope.owner }, options))
        if (await isSeen(event.data, event.at))
          yield { ...event, data: { ...event.data, ...idsOf(scope, event.data) } };
    },
  };
}

/** An act has the owner of its task. Those of a token that is bound to a label are in sandboxes that have it now. */
export function historyOf({ api, scope, bound, place, asked }: Mine): HistoryApi {
  return {
    list: ({ task, ...filter } = {}, options) =>
      asked(async () => {
        refuseOthers(scope, filter);
        const named = task === undefined ? {} : { task: await place(task) };
        const within = { ...bound.task(named), ...(await bound.among()), owner: scope.owner };
        const { items, nextCursor } = await api.history.list({ ...filter, ...within }, options);
        const shownItems = items.map(({ execId, ...item }) => ({
          ...scope.ofTask(item),
          execId: execId === null ? null : scope.exec(execId),
        }));
        return { items: shownItems, nextCursor };
      }),
  };
}

/** Throws `permission_denied` for a filter by another owner. */
function refuseOthers(scope: Scope, { owner }: { readonly owner?: string }): void {
  if (owner !== undefined && owner !== scope.owner) refuse();
}

/** The chain goes over the records of all owners: only the operator can verify it. */
export function auditOf(mine: Mine): AuditApi {
  const { scope, bound } = mine;
  const { audit } = mine.api;
  const isSeen = seenBy(bound);
  const only = async (record: AuditRecord): Promise<boolean> => await isSeen(record, record.at);
  const tail: AuditApi['tail'] = async function* (how, options) {
    refuseOthers(scope, how);
    const { task } = how;
    const named = task === undefined ? {} : { task: await mine.place(task) };
    const own = { ...how, ...named, owner: scope.owner, ...(bound.isBound ? { only } : {}) };
    for await (const record of audit.tail(own, options)) yield shown(scope, record);
  };
  return made(mine, audit, { rows, byHand: { tail } });
}

/** Many records are of one sandbox: it is looked up once in this time. */
const knownMs = 250;

/** What names no task concerns all that its owner has. */
function seenBy(bound: Bound): (facts: Facts, at: string) => Promise<boolean> {
  const known = new Map<string, Promise<string | null>>();
  let untilMs = 0;
  return async ({ taskId, sandboxId }, at) => {
    if (!bound.isBound) return true;
    if (typeof taskId !== 'string') return false;
    if (performance.now() > untilMs) {
      known.clear();
      untilMs = performance.now() + knownMs;
    }
    const placed = typeof sandboxId === 'string' ? { taskId, sandboxId } : { taskId };
    const key = `${taskId} ${placed.sandboxId ?? ''}`;
    const since = known.get(key) ?? bound.seesSince(placed);
    known.set(key, since);
    const from = await since;
    return from !== null && from <= at;
  };
}

type Facts = Readonly<Record<string, unknown>>;

/** Which process of the host has written it is the operator's. */
function shown(scope: Scope, { holder: _, ...record }: AuditRecord): AuditRecord {
  return { ...record, ...idsOf(scope, record) };
}

function idsOf(scope: Scope, { taskId, execId }: Facts) {
  return {
    ...(typeof taskId === 'string' ? scope.ofTask({ taskId }) : {}),
    ...(typeof execId === 'string' ? { execId: scope.exec(execId) } : {}),
  };
}
