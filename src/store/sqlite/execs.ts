/** The index of execs: which ids were used, by which request. Statements are prepared on use. */
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { ExecRow } from '../store.ts';
import { immediate } from './connection.ts';
import { integer, nullable, object, oneOf, text } from './shape.ts';

const shape = object<ExecRow>({
  id: text,
  kind: oneOf('exec', 'detached'),
  taskId: text,
  sandboxId: text,
  backend: text,
  request: nullable(text),
  owner: text,
  startedAt: integer,
});

const batchMs = 25;

const columns =
  'id, kind, task_id AS taskId, sandbox_id AS sandboxId, backend, request, owner, started_at AS startedAt';

export class Execs {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #pending: ExecRow[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Written with the next ones: a transaction each would cost more than a short command. */
  insertSoon(row: ExecRow): void {
    this.#pending.push(row);
    this.#timer ??= setTimeout(() => this.flush(), batchMs).unref();
  }

  /** Never throws: what the disk does not take is in the journal. */
  flush(): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    const rows = this.#pending;
    this.#pending = [];
    if (rows.length === 0) return;
    try {
      immediate(this.#db, () => rows.forEach((row) => this.insert(row)));
    } catch {
      // A full disk, or a database that is busy for long.
    }
  }

  /** The row that has the id already, or `null` when this one has it now. */
  insert({ id, kind, taskId, sandboxId, backend, request, owner, startedAt }: ExecRow): ExecRow | null {
    const insert = this.#prepared(
      `INSERT INTO execs (id, kind, task_id, sandbox_id, backend, request, owner, started_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    );
    const { changes } = insert.run(id, kind, taskId, sandboxId, backend, request, owner, startedAt);
    return changes === 1 ? null : this.byId(id);
  }

  byId(id: string): ExecRow | null {
    if (this.#pending.length > 0 && !this.#db.isTransaction) this.flush();
    const row = this.#prepared(`SELECT ${columns} FROM execs WHERE id = ?`).get(id);
    return row === undefined ? null : read(row);
  }

  delete(id: string): void {
    this.#prepared('DELETE FROM execs WHERE id = ?').run(id);
  }

  retire(id: string): void {
    this.#prepared("UPDATE execs SET kind = 'exec' WHERE id = ?").run(id);
  }

  detached(): readonly ExecRow[] {
    return this.#prepared(`SELECT ${columns} FROM execs WHERE kind = 'detached' ORDER BY rowid`).all().map(read);
  }

  /** Older ones, and the oldest beyond `most`. Detached processes stay as long as their sandboxes know them. */
  expire(beforeMs: number, most: number): number {
    const old = this.#prepared("DELETE FROM execs WHERE kind = 'exec' AND started_at < ?").run(beforeMs);
    const many = this.#prepared(
      "DELETE FROM execs WHERE kind = 'exec' AND rowid <= (SELECT coalesce(max(rowid), 0) FROM execs) - ?",
    ).run(most);
    return Number(old.changes) + Number(many.changes);
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}

function read(row: Record<string, SQLOutputValue>): ExecRow {
  return shape(row, 'exec');
}
