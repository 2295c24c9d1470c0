/** The table of events. Those who change a state add to it in their own transaction. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { author } from '../../lib/author.ts';
import { ownerOf } from '../../values/owner.ts';
import type { EventQuery, EventRow, Events, EventType, Kept } from '../events.ts';
import { storeError } from './errors.ts';
import { integer, json, nullable, object, oneOf, record, text } from './shape.ts';

export type NewEvent = Omit<EventRow, 'seq'>;

const eventShape = object<EventRow>({
  seq: integer,
  type: oneOf(
    ...(['sandbox.state', 'exec.started', 'exec.ended', 'process.started', 'process.ended'] as const),
    ...(['approval.asked', 'approval.answered'] as const),
  ),
  owner: text,
  happenedAt: integer,
  author: text,
  reason: nullable(text),
  data: json(record),
});
const keptShape = object<Kept>({ oldest: integer, newest: integer });

export function eventOf(type: EventType, taskId: string, data: EventRow['data']): NewEvent {
  const { by, reason } = author();
  return { type, owner: ownerOf(taskId), happenedAt: Date.now(), author: by, reason, data };
}

export class EventLog implements Events {
  readonly #db: DatabaseSync;
  #insert: StatementSync | null = null;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  add({ type, owner, happenedAt, author: by, reason, data }: NewEvent): void {
    this.#insert ??= this.#db.prepare(
      'INSERT INTO events (type, owner, happened_at, author, reason, data) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#insert.run(type, owner, happenedAt, by, reason, JSON.stringify(data));
  }

  async read({ after, owner, most }: EventQuery): Promise<readonly EventRow[]> {
    const one = owner === null ? '' : 'AND owner = ?';
    const sql = `SELECT seq, type, owner, happened_at AS happenedAt, author, reason, data FROM events
      WHERE seq > ? ${one} ORDER BY seq LIMIT ?`;
    const values = owner === null ? [after, most] : [after, owner, most];
    const rows = this.#do(() => this.#db.prepare(sql).all(...values));
    return rows.map((row) => eventShape(row, 'event'));
  }

  async kept(): Promise<Kept> {
    const sql = `SELECT ifnull((SELECT min(seq) FROM events), 0) AS oldest,
      ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0) AS newest`;
    return keptShape(this.#do(() => this.#db.prepare(sql).get()) ?? {}, 'events');
  }

  #do<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storeError(error, 'read the events');
    }
  }
}
