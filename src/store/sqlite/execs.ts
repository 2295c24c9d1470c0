/** The index of execs: which ids were used, by which request. Statements are prepared on use. */
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { ExecEnd, ExecRow } from '../store.ts';
import { immediate, within } from './connection.ts';
import { type EventLog, eventOf, type NewEvent } from './events.ts';
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
  'id, kind, task_id AS taskId, sandbox_id AS sandboxId, backend, request, holder AS owner, started_at AS startedAt';

export class Execs {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #events: EventLog;
  /** Each with the author of its moment. */
  #pending: (() => void)[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(db: DatabaseSync, events: EventLog) {
    this.#db = db;
    this.#events = events;
  }

  /** Written with the next ones: a transaction each would cost more than a short command. */
  insertSoon(row: ExecRow): void {
    const event = startedEvent(row);
    this.#soon(() => this.#insert(row, event));
  }

  /** The end of an exec. Its record is in the journal: this is for those who follow events. */
  endedSoon({ id, taskId, sandboxId }: Pick<ExecRow, 'id' | 'taskId' | 'sandboxId'>, how: ExecEnd): void {
    const event = eventOf('exec.ended', taskId, { execId: id, taskId, sandboxId, ...how });
    this.#soon(() => this.#events.add(event));
  }

  #soon(write: () => void): void {
    this.#pending.push(write);
    this.#timer ??= setTimeout(() => this.flush(), batchMs).unref();
  }

  /** Never throws: what the disk does not take is in the journal. */
  flush(): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    const writes = this.#pending;
    this.#pending = [];
    if (writes.length === 0) return;
    try {
      immediate(this.#db, () => writes.forEach((write) => write()));
    } catch {
      // A full disk, or a database that is busy for long.
    }
  }

  /** The row that has the id already, or `null` when this one has it now. */
  insert(row: ExecRow): ExecRow | null {
    return within(this.#db, () => this.#insert(row, startedEvent(row)));
  }

  #insert(row: ExecRow, event: NewEvent): ExecRow | null {
    const { id, kind, taskId, sandboxId, backend, request, owner, startedAt } = row;
    const insert = this.#prepared(
      `INSERT INTO execs (id, kind, task_id, sandbox_id, backend, request, holder, started_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    );
    const { changes } = insert.run(id, kind, taskId, sandboxId, backend, request, owner, startedAt);
    if (changes === 0) return this.byId(id);
    this.#events.add(event);
    return null;
  }

  byId(id: string): ExecRow | null {
    if (this.#pending.length > 0 && !this.#db.isTransaction) this.flush();
    const row = this.#prepared(`SELECT ${columns} FROM execs WHERE id = ?`).get(id);
    return row === undefined ? null : read(row);
  }

  delete(id: string): void {
    this.flush();
    within(this.#db, () => {
      const row = this.byId(id);
      this.#prepared('DELETE FROM execs WHERE id = ?').run(id);
      if (row !== null) this.#events.add(endedEvent(row, 'not_started'));
    });
  }

  retire(id: string): void {
    within(this.#db, () => {
      const row = this.byId(id);
      if (row?.kind !== 'detached') return;
      this.#prepared("UPDATE execs SET kind = 'exec' WHERE id = ?").run(id);
      this.#events.add(endedEvent(row, null));
    });
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

const prefixOf = ({ kind }: ExecRow) => (kind === 'detached' ? 'process' : 'exec');
const idsOf = ({ id, taskId, sandboxId }: ExecRow) => ({ execId: id, taskId, sandboxId });

const startedEvent = (row: ExecRow): NewEvent => eventOf(`${prefixOf(row)}.started`, row.taskId, idsOf(row));

/** What a process ended with is in its sandbox. */
const endedEvent = (row: ExecRow, reason: string | null): NewEvent =>
  eventOf(`${prefixOf(row)}.ended`, row.taskId, { ...idsOf(row), reason });
