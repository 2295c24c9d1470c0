/** The table of the journal's segments. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SegmentQuery, SegmentRow } from '../records.ts';
import { integer, object, text } from './shape.ts';

const shape = object<SegmentRow>({ name: text, writer: text, n: integer, since: integer });
const select = 'SELECT name, writer, n, since FROM record_segments';
/** A process writes to one segment, and reads some others. */
const maxKnown = 100;

interface SegmentEntry {
  readonly id: number;
  since: number;
}

export class SegmentRows {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #known = new Map<string, SegmentEntry>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** A transaction was rolled back: what it added is not there. */
  forget(): void {
    this.#known.clear();
  }

  /** Its number in this table; it gets one. A record that began before `since` of its segment, as a clock was set back, changes that. */
  idOf(segment: SegmentRow, startedAt = segment.since): number {
    const known = this.#known.get(segment.name) ?? this.#add(segment);
    if (startedAt < known.since) {
      this.#prepared('UPDATE record_segments SET since = min(since, ?) WHERE id = ?').run(startedAt, known.id);
      known.since = startedAt;
    }
    return known.id;
  }

  complete(names: readonly string[]): void {
    const complete = this.#prepared('UPDATE record_segments SET complete = 1 WHERE name = ?');
    for (const name of names) complete.run(name);
  }

  drop(names: readonly string[]): void {
    for (const name of names) {
      this.#prepared('DELETE FROM record_segments WHERE name = ?').run(name);
      this.#known.delete(name);
    }
  }

  list({ incomplete = false, after = null, limit }: SegmentQuery): readonly SegmentRow[] {
    const those = incomplete ? 'INDEXED BY record_segments_incomplete WHERE complete = 0 AND' : 'WHERE';
    const sql = `${select} ${those} name > ? ORDER BY name LIMIT ?`;
    return this.#prepared(sql)
      .all(after ?? '', limit)
      .map(read);
  }

  after({ writer, n }: Pick<SegmentRow, 'writer' | 'n'>): SegmentRow | null {
    const row = this.#prepared(`${select} WHERE writer = ? AND n = ?`).get(writer, n + 1);
    return row === undefined ? null : read(row);
  }

  /** When the first record that is left began at the earliest. */
  oldest(): number | null {
    const since = this.#prepared('SELECT min(since) AS since FROM record_segments').get()?.['since'];
    return typeof since === 'number' ? since : null;
  }

  #add({ name, writer, n, since }: SegmentRow): SegmentEntry {
    const add = this.#prepared(
      `INSERT INTO record_segments (name, writer, n, since) VALUES (?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET since = min(since, excluded.since) RETURNING id, since`,
    );
    const row = add.get(name, writer, n, since);
    const known = { id: Number(row?.['id']), since: Number(row?.['since']) };
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.set(name, known);
    return known;
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}

const read = (row: unknown): SegmentRow => shape(row, 'segment');
