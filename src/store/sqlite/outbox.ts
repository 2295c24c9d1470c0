/** The tables of events for webhooks. Triggers write events (`outbox-schema.ts`). Statements are prepared on use. */
import type { DatabaseSync } from 'node:sqlite';
import type { Attempt, Delivery, Endpoint, Outbox } from '../outbox.ts';
import { immediate } from './connection.ts';
import type { Table } from './table.ts';
import { integer, json, list, object, record, text } from './shape.ts';

const endpointShape = object<Endpoint>({ name: text, events: json(list(text)) });
const deliveryShape = object<Delivery>({
  id: text,
  endpoint: text,
  type: text,
  data: json(record),
  happenedAt: integer,
  attempts: integer,
});
const countShape = object<{ endpoint: string; count: number }>({ endpoint: text, count: integer });

export class OutboxTable implements Table<Outbox> {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  setEndpoints(endpoints: readonly Endpoint[]): void {
    const wanted = new Map(endpoints.map(({ name, events }) => [name, JSON.stringify(events)]));
    const known = new Map(this.#endpoints().map(({ name, events }) => [name, JSON.stringify(events)]));
    // Every command opens the store, and hardly any finds another configuration.
    const isSame = wanted.size === known.size && [...wanted].every(([name, events]) => known.get(name) === events);
    if (!isSame) this.#replaceEndpoints(wanted, known);
  }

  #endpoints(): readonly Endpoint[] {
    const rows = this.#db.prepare('SELECT name, events FROM webhook_endpoints').all();
    return rows.map((row) => endpointShape(row, 'webhook'));
  }

  #replaceEndpoints(wanted: ReadonlyMap<string, string>, known: ReadonlyMap<string, string>): void {
    const insert = `INSERT INTO webhook_endpoints (name, events) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET events = excluded.events`;
    immediate(this.#db, () => {
      for (const name of known.keys())
        if (!wanted.has(name)) this.#db.prepare('DELETE FROM webhook_endpoints WHERE name = ?').run(name);
      for (const [name, events] of wanted) this.#db.prepare(insert).run(name, events);
    });
  }

  due(endpoint: string, nowMs: number, max: number): readonly Delivery[] {
    const sql = `SELECT id, endpoint, type, data, happened_at AS happenedAt, attempts FROM webhook_deliveries
      WHERE endpoint = ? AND next_at <= ? ORDER BY seq LIMIT ?`;
    const rows = this.#db.prepare(sql).all(endpoint, nowMs, max);
    return rows.map((row) => deliveryShape(row, 'event'));
  }

  delivered(id: string): void {
    this.#db.prepare('DELETE FROM webhook_deliveries WHERE id = ?').run(id);
  }

  failed(id: string, { nextAt, failure }: Attempt): void {
    const sql = 'UPDATE webhook_deliveries SET attempts = attempts + 1, next_at = ?, failure = ? WHERE id = ?';
    this.#db.prepare(sql).run(nextAt, failure, id);
  }

  givenUp(): Readonly<Record<string, number>> {
    const sql = 'SELECT endpoint, count(*) AS count FROM webhook_deliveries WHERE next_at IS NULL GROUP BY endpoint';
    const rows = this.#db.prepare(sql).all();
    return Object.fromEntries(rows.map((row) => countShape(row, 'count')).map((each) => [each.endpoint, each.count]));
  }

  trim(max: number, beforeMs: number): void {
    const oldest = 'SELECT seq FROM webhook_deliveries ORDER BY seq DESC LIMIT -1 OFFSET ?';
    const old = 'next_at IS NULL AND happened_at < ?';
    this.#db.prepare(`DELETE FROM webhook_deliveries WHERE seq IN (${oldest}) OR (${old})`).run(max, beforeMs);
  }
}
