/** What happened: changes of state, and the audit. */
import { CaissonError } from '../../errors.ts';
import type { AuditApi, AuditRecord, EventsApi, EventView, HistoryApi, HistoryEntry } from '../../service/api.ts';
import { audit, events, history } from '../../service/verbs/records.ts';
import { followed } from '../wire/followed.ts';
import { page } from '../wire/page.ts';
import { shaped } from '../wire/shape.ts';
import type { Wire } from '../wire/wire.ts';
import { made } from './made.ts';

export function eventsOf(wire: Wire): EventsApi {
  const follow: EventsApi['follow'] = async function* (
    { after = 0, follow: isEndless = false, owner, ...filter } = {},
    { signal } = {},
  ) {
    checkFilters({ owner });
    const ask = (from: number) =>
      ({
        method: 'GET',
        path: events.follow.path,
        query: { ...filter, follow: isEndless, after: from === 0 ? undefined : from },
        signal,
      }) as const;
    for await (const event of followed(wire, { first: ask(after), next: ask, after, signal, isEndless }))
      yield shaped<EventView>(event, { seq: 'number', type: 'text', at: 'text', owner: 'text', data: 'object' });
  };
  return made(wire, 'events', { rows: events, byHand: { follow } });
}

/** A lost connection ends a tail that follows: its records are counted from the last one, not from one that was seen. */
export function auditOf(wire: Wire): AuditApi {
  const tail: AuditApi['tail'] = async function* ({ count, follow = false, only, ...filter }, { signal } = {}) {
    checkFilters({ only });
    const query = { ...filter, count, follow };
    for await (const record of wire.events({ method: 'GET', path: audit.tail.path, query, signal }))
      yield shaped<AuditRecord>(record, { seq: 'number', at: 'text', type: 'text', prev: 'text', hash: 'text' });
  };
  return made(wire, 'audit', { rows: audit, byHand: { tail } });
}

export function historyOf(wire: Wire): HistoryApi {
  return {
    list: async ({ sandboxes, outcomes: outcome, ...filter } = {}, { signal } = {}) => {
      checkFilters({ sandboxes });
      const query = { ...filter, outcome };
      const found = await wire.json({ method: 'GET', path: history.list.path, query, signal });
      return page<HistoryEntry>(found, {
        kind: 'text',
        taskId: 'text',
        owner: 'text',
        command: 'list',
        startedAt: 'text',
        outcome: 'text',
      });
    },
  };
}

function checkFilters(filters: Readonly<Record<string, unknown>>): void {
  if (Object.values(filters).some((filter) => filter !== undefined))
    throw new CaissonError('not_supported', 'the service shows what the token sees, and has no filter of records');
}
