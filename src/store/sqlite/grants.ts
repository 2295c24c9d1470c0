/** The table of answers that hold for a task. Statements are prepared on use: most processes never ask. */
import type { DatabaseSync } from 'node:sqlite';
import type { GrantRow } from '../store.ts';
import { forced } from './connection.ts';
import { integer, json, list, nullable, object, text } from './shape.ts';

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

export class Grants {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  insert({ id, taskId, rules, keys, covers, grantedBy, createdAt, expiresAt }: GrantRow): void {
    this.#db.prepare(`DELETE FROM grants WHERE NOT ${unexpired}`).run(createdAt);
    const insert = this.#db.prepare(
      `INSERT INTO grants (id, task_id, rules, keys, covers, granted_by, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    insert.run(id, taskId, rules, JSON.stringify(keys), JSON.stringify(covers), grantedBy, createdAt, expiresAt);
  }

  all(nowMs: number): readonly GrantRow[] {
    const sql = `SELECT ${columns} FROM grants WHERE ${unexpired} ORDER BY created_at, rowid`;
    return this.#db
      .prepare(sql)
      .all(nowMs)
      .map((row) => shape(row, 'grant'));
  }

  /** What is taken back must not come back after a power cut. */
  delete(id: string): boolean {
    return forced(this.#db, () => this.#db.prepare('DELETE FROM grants WHERE id = ?').run(id)).changes === 1;
  }
}
