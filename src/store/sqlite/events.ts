/** The table of events. Those who change a state add to it in their own transaction. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { author } from '../../lib/author.ts';
import { ownerOf } from '../../values/owner.ts';
import type { EventQuery, EventRow, Events, EventType, EventRange } from '../events.ts';
import { countEvent, newestGone } from './event-shares.ts';
import type { Table } from './table.ts';
import { integer, json, nullable, object, oneOf, record, text } from './shape.ts';

export type NewEvent = Omit<EventRow, 'seq'>;

const eventShape = object<EventRow>({
  seq: integer,
  type: oneOf(
    ...(['sandbox.state', 'exec.started', 'exec.ended', 'process.started', 'process.ended'] as const),
    ...(['approval.asked', 'approval.answered', 'network.denied'] as const),
  ),
  owner: text,
  happenedAt: integer,
  author: text,
  reason: nullable(text),
  data: json(record),
});
const endsShape = object<Omit<EventRange, 'gone'>>({ oldest: integer, newest: integer });

export function eventOf(type: EventType, taskId: string, data: EventRow['data']): NewEvent {
  const { by, reason } = author();
  return { type, owner: ownerOf(taskId), happenedAt: Date.now(), author: by, reason, data };
}

/** Some 300 bytes each. */
export const maxEvents = 50_000;

export class EventTable implements Table<Events> {
  readonly #db: DatabaseSync;
  readonly #max: number;
  #insert: StatementSync | null = null;

  constructor(db: DatabaseSync, max: number) {
    this.#db = db;
    this.#max = max;
  }

  add({ type, owner, happenedAt, author: by, reason, data }: NewEvent): void {
    this.#insert ??= this.#db.prepare(
      'INSERT INTO events (type, owner, happened_at, author, reason, data) VALUES (?, ?, ?, ?, ?, ?)',
    );
    const { lastInsertRowid } = this.#insert.run(type, owner, happenedAt, by, reason, JSON.stringify(data));
    countEvent(this.#db, Number(lastInsertRowid), this.#max);
  }

  read({ after, max, ...filter }: EventQuery): readonly EventRow[] {
    const terms = termsOf(filter);
    const sql = `SELECT seq, type, owner, happened_at AS happenedAt, author, reason, data FROM events
      WHERE ${['seq > ?', ...terms.map((term) => term.sql)].join(' AND ')} ORDER BY seq LIMIT ?`;
    const rows = this.#db.prepare(sql).all(after, ...terms.flatMap(({ values }) => values), max);
    return rows.map((row) => eventShape(row, 'event'));
  }

  denied(taskId: string, data: EventRow['data']): void {
    this.add(eventOf('network.denied', taskId, data));
  }

  kept(owner: string | null): EventRange {
    // One of the two at a time is a look at one end of the table; both together are a scan (sqlite.org/optoverview.html).
    const sql = `SELECT ifnull((SELECT min(seq) FROM events), 0) AS oldest,
      ifnull((SELECT max(seq) FROM events), 0) AS newest`;
    const { oldest, newest } = endsShape(this.#db.prepare(sql).get() ?? {}, 'events');
    return { oldest, newest, gone: newestGone(this.#db, owner) };
  }
}

interface Term {
  readonly sql: string;
  readonly values: readonly string[];
}

/** The type stands before the task: an event is parsed only where its type fits. */
function termsOf({ owner, type, task }: Omit<EventQuery, 'after' | 'max'>): readonly Term[] {
  const ofTask = "? IN (json_extract(data, '$.taskId'), json_extract(data, '$.sandboxId'))";
  return [
    ...(owner === null ? [] : [{ sql: 'owner = ?', values: [owner] }]),
    ...(type === undefined ? [] : [{ sql: 'type = ?', values: [type] }]),
    ...(task === undefined ? [] : [{ sql: ofTask, values: [task] }]),
  ];
}
