/** The table of answers that hold for a task. Statements are prepared on use: most processes never ask. */
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../lib/clock.ts';
import type { GrantRow, Grants } from '../decisions.ts';
import { forced } from './connection.ts';
import type { Page } from '../pages.ts';
import type { Table } from './table.ts';
import { integer, json, list, nullable, object, text } from './shape.ts';
import { steadyNow } from './steady.ts';

const shape = object<GrantRow>({
  id: text,
  taskId: text,
  rules: text,
  keys: json(list(text)),
  covers: json(list(text)),
  grantedBy: text,
  createdAt: integer,
  expiresAt: nullable(integer),
});

const columns =
  'id, task_id AS taskId, rules, keys, covers, granted_by AS grantedBy, created_at AS createdAt, expires_at AS expiresAt';
const unexpired = '(expires_at IS NULL OR expires_at > ?)';

export class GrantTable implements Table<Grants> {
  readonly #db: DatabaseSync;
  readonly #clock: Clock;

  constructor(db: DatabaseSync, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  insert({ id, taskId, rules, keys, covers, grantedBy, createdAt, expiresAt }: GrantRow): void {
    this.#db.prepare(`DELETE FROM grants WHERE NOT ${unexpired}`).run(createdAt);
    const insert = this.#db.prepare(
      `INSERT INTO grants (id, task_id, rules, keys, covers, granted_by, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    insert.run(id, taskId, rules, JSON.stringify(keys), JSON.stringify(covers), grantedBy, createdAt, expiresAt);
  }

  find(id: string): GrantRow | null {
    const row = this.#db.prepare(`SELECT ${columns} FROM grants WHERE id = ? AND ${unexpired}`).get(id, this.#now());
    return row === undefined ? null : shape(row, 'grant');
  }

  list({ taskId = null, after = null, limit }: Page & { readonly taskId?: string | null }): readonly GrantRow[] {
    const sql = `SELECT ${columns} FROM grants WHERE ${unexpired} AND task_id = coalesce(?, task_id)
      AND (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?`;
    const rows = this.#db.prepare(sql).all(this.#now(), taskId, after?.at ?? -1, after?.id ?? '', limit);
    return rows.map((row) => shape(row, 'grant'));
  }

  #now(): number {
    return steadyNow(this.#db, this.#clock);
  }

  /** What is taken back must not come back after a power cut. */
  delete(id: string): boolean {
    return forced(this.#db, () => this.#db.prepare('DELETE FROM grants WHERE id = ?').run(id)).changes === 1;
  }
}
