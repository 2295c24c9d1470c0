/** The table of the history. Rows are written with other rows of the same moment, and a short act once. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Act, ActEnd, Fault, History, HistoryFilter, HistoryRow } from '../history.ts';
import type { Batch } from './batch.ts';
import { merged, readAct, walksOf } from './history-list.ts';
import { attempt } from './noun.ts';

/** Some 400 bytes each with their indexes; the oldest go first. */
const maxActs = 1_000_000;
const maxCounted = 10_000;

interface Pending {
  readonly act: Act;
  end: ActEnd | null;
}

export class SqliteHistory implements History {
  readonly #db: DatabaseSync;
  readonly #batch: Batch;
  readonly #max: number;
  readonly #statements = new Map<string, StatementSync>();
  /** Acts that wait to be written. */
  readonly #pending = new Map<string, Pending>();

  constructor(db: DatabaseSync, batch: Batch, max = maxActs) {
    this.#db = db;
    this.#batch = batch;
    this.#max = max;
  }

  begun(act: Act): void {
    const pending: Pending = { act, end: null };
    const { id } = act;
    if (id !== null) this.#pending.set(id, pending);
    this.#batch.add(() => {
      if (id !== null && this.#pending.get(id) === pending) this.#pending.delete(id);
      this.#insert(pending.act, pending.end);
    });
  }

  ended(id: string, end: ActEnd): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) this.#batch.add(() => this.#end(id, end));
    else pending.end ??= end;
  }

  add(act: Act, end: ActEnd): void {
    this.#batch.add(() => this.#insert(act, end));
  }

  async list(filter: HistoryFilter): Promise<readonly HistoryRow[]> {
    return this.#do('read the history', () =>
      merged(
        walksOf(filter).flatMap(({ sql, values }) =>
          this.#prepared(sql)
            .all(...values)
            .map(readAct),
        ),
        filter.limit,
      ),
    );
  }

  async count(fault: Fault, sinceMs: number): Promise<number> {
    const sql = `SELECT count(*) AS n FROM (
      SELECT 1 FROM history INDEXED BY history_faults WHERE fault = ? AND started_at >= ? LIMIT ${maxCounted})`;
    return this.#do('count the history', () => Number(this.#prepared(sql).get(fault, sinceMs)?.['n'] ?? 0));
  }

  async expire(beforeMs: number): Promise<number> {
    return this.#do('clear up the history', () => {
      const old = this.#prepared('DELETE FROM history WHERE started_at < ?').run(beforeMs);
      const many = this.#prepared(
        'DELETE FROM history WHERE seq <= (SELECT coalesce(max(seq), 0) FROM history) - ?',
      ).run(this.#max);
      return Number(old.changes) + Number(many.changes);
    });
  }

  #insert(act: Act, end: ActEnd | null): void {
    const { id, kind, owner, token, taskId, sandboxId, backend, command, startedAt } = act;
    this.#prepared(
      `INSERT INTO history (id, kind, owner, token, task_id, sandbox_id, backend, command, started_at,
         running, fault, reason, exit_code, signal, duration_ms, bytes, rule)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      ...[id, kind, owner, token, taskId, sandboxId, backend, JSON.stringify(command), startedAt],
      ...(end === null ? [1, null, null, null, null, null, null, null] : [0, ...endColumns(end)]),
    );
  }

  #end(id: string, end: ActEnd): void {
    this.#prepared(
      `UPDATE history INDEXED BY history_running
       SET running = 0, fault = ?, reason = ?, exit_code = ?, signal = ?, duration_ms = ?, bytes = ?, rule = ?
       WHERE id = ? AND running = 1`,
    ).run(...endColumns(end), id);
  }

  #do<T>(what: string, work: () => T): T {
    return attempt(
      this.#db,
      () => what,
      () => {
        this.#batch.flush();
        return work();
      },
    );
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}

const endColumns = ({ outcome, reason, exitCode, signal, durationMs, bytes, rule }: ActEnd) => [
  outcome === 'done' ? null : outcome,
  ...[reason, exitCode, signal],
  durationMs === null ? null : Math.round(durationMs),
  ...[bytes, rule],
];
