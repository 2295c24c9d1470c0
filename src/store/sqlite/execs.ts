/** The index of execs: which ids were used, by which request. Statements are prepared on use. */
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { EndedExec, ExecEnd, ExecRow, Execs } from '../execs.ts';
import type { Page } from '../pages.ts';
import type { Batch } from './batch.ts';
import { immediate, within } from './connection.ts';
import { type EventTable, eventOf, type NewEvent } from './events.ts';
import { deathKey } from './leases.ts';
import type { Table } from './table.ts';
import { integer, nullable, object, oneOf, text } from './shape.ts';

const shape = object<ExecRow>({
  id: text,
  kind: oneOf('exec', 'detached'),
  taskId: text,
  sandboxId: text,
  backend: text,
  request: nullable(text),
  holder: text,
  startedAt: integer,
});

const columns =
  'id, kind, task_id AS taskId, sandbox_id AS sandboxId, backend, request, holder, started_at AS startedAt';

/** Ids beyond so many are forgotten, the oldest first, whatever their age: some 200 bytes each. */
const maxExecs = 1_000_000;

const idsIn = (type: string): string => `(SELECT json_extract(data, '$.execId') FROM events WHERE type = '${type}')`;
const wasCutOff = `kind = 'exec' AND holder NOT IN (SELECT id FROM holders)
  AND id IN ${idsIn('exec.started')} AND id NOT IN ${idsIn('exec.ended')}`;

/** Those whose rows wait for a batch answer at once, and never throw. */
type Now = 'insertFresh' | 'ended';

export class ExecTable implements Table<Omit<Execs, Now>>, Pick<Execs, Now> {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #events: EventTable;
  readonly #batch: Batch;
  readonly #holder: string;

  constructor(
    db: DatabaseSync,
    holder: string,
    { events, batch }: { readonly events: EventTable; readonly batch: Batch },
  ) {
    this.#holder = holder;
    this.#db = db;
    this.#events = events;
    this.#batch = batch;
  }

  insertFresh(fresh: Omit<ExecRow, 'holder'>): void {
    const row = { ...fresh, holder: this.#holder };
    // Now, with the author of this moment.
    const event = startedEvent(row);
    this.#batch.add(() => this.#insert(row, event));
  }

  /** The end of an exec. Its record is in the journal: this is for those who follow events. */
  ended(exec: EndedExec, how: ExecEnd): void {
    const event = eventOf('exec.ended', exec.taskId, { ...idsOf(exec), ...how });
    this.#batch.add(() => this.#events.add(event));
  }

  flush(): void {
    this.#batch.flush();
  }

  /** The row that has the id already, or `null` when this one has it now. */
  insert(free: Omit<ExecRow, 'holder'>): ExecRow | null {
    const row = { ...free, holder: this.#holder };
    return within(this.#db, () => this.#insert(row, startedEvent(row)));
  }

  #insert(row: ExecRow, event: NewEvent): ExecRow | null {
    const { id, kind, taskId, sandboxId, backend, request, holder, startedAt } = row;
    const insert = this.#prepared(
      `INSERT INTO execs (id, kind, task_id, sandbox_id, backend, request, holder, started_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    );
    const { changes } = insert.run(id, kind, taskId, sandboxId, backend, request, holder, startedAt);
    if (changes === 0) return this.find(id);
    this.#events.add(event);
    return null;
  }

  find(id: string): ExecRow | null {
    if (!this.#batch.isEmpty && !this.#db.isTransaction) this.flush();
    const row = this.#prepared(`SELECT ${columns} FROM execs WHERE id = ?`).get(id);
    return row === undefined ? null : read(row);
  }

  delete(id: string): void {
    this.flush();
    within(this.#db, () => {
      const row = this.find(id);
      this.#prepared('DELETE FROM execs WHERE id = ?').run(id);
      if (row !== null) this.#events.add(endedEvent(row, 'not_started'));
    });
  }

  retire(id: string): void {
    within(this.#db, () => {
      const row = this.find(id);
      if (row?.kind !== 'detached') return;
      this.#prepared("UPDATE execs SET kind = 'exec' WHERE id = ?").run(id);
      this.#prepared('DELETE FROM process_places WHERE exec_id = ?').run(id);
      this.#events.add(endedEvent(row, null));
    });
  }

  detached({ sandboxId = null, ...page }: Page & { readonly sandboxId?: string | null }): readonly ExecRow[] {
    return this.#page("kind = 'detached' AND sandbox_id = coalesce(?, sandbox_id)", page, sandboxId);
  }

  #page(where: string, { after = null, limit }: Page, ...values: (string | null)[]): readonly ExecRow[] {
    const sql = `SELECT ${columns} FROM execs WHERE ${where} AND (started_at, id) > (?, ?) ORDER BY started_at, id LIMIT ?`;
    return this.#prepared(sql)
      .all(...values, after?.at ?? -1, after?.id ?? '', limit)
      .map(read);
  }

  /**
   * Those of holders that are gone, of which an event says that they began and none that they ended. It reads all events, so that it
   * is asked only after a holder died.
   */
  cutOff(page: Page): readonly ExecRow[] {
    return this.#holderDied() ? this.#page(wasCutOff, page) : [];
  }

  #holderDied(): boolean {
    return this.#prepared('SELECT 1 FROM meta WHERE key = ?').get(deathKey) !== undefined;
  }

  /** What another process has ended meanwhile is left out. */
  endCutOff(ends: ReadonlyMap<string, ExecEnd>): void {
    if (!this.#holderDied()) return;
    this.flush();
    immediate(this.#db, () => {
      const given = `id IN (SELECT value FROM json_each(?)) AND ${wasCutOff}`;
      for (const row of this.#page(given, { limit: -1 }, JSON.stringify([...ends.keys()])))
        this.#events.add(eventOf('exec.ended', row.taskId, { ...idsOf(row), ...ends.get(row.id) }));
      if (this.#page(wasCutOff, { limit: 1 }).length === 0)
        this.#prepared('DELETE FROM meta WHERE key = ?').run(deathKey);
    });
  }

  /** Older ones, and the oldest beyond `max`. Detached processes stay as long as their sandboxes know them. */
  expire(beforeMs: number, max = maxExecs): number {
    const old = this.#prepared("DELETE FROM execs WHERE kind = 'exec' AND started_at < ?").run(beforeMs);
    const many = this.#prepared(
      "DELETE FROM execs WHERE kind = 'exec' AND rowid <= (SELECT coalesce(max(rowid), 0) FROM execs) - ?",
    ).run(max);
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
const idsOf = ({ id, taskId, sandboxId, backend }: EndedExec) => ({ execId: id, taskId, sandboxId, backend });

const startedEvent = (row: ExecRow): NewEvent => eventOf(`${prefixOf(row)}.started`, row.taskId, idsOf(row));

/** What a process ended with is in its sandbox. */
const endedEvent = (row: ExecRow, reason: string | null): NewEvent =>
  eventOf(`${prefixOf(row)}.ended`, row.taskId, { ...idsOf(row), reason });
