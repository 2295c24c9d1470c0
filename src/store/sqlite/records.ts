/** The places of records, in the table of execs and in one of the journal's segments. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ownerOf, ownerOfExec } from '../../values/owner.ts';
import type {
  BegunRecord,
  FoundRecord,
  RecordFilter,
  RecordPlace,
  RecordRow,
  Records,
  SegmentQuery,
  SegmentRow,
} from '../records.ts';
import type { Page } from '../pages.ts';
import type { Batch } from './batch.ts';
import { immediate } from './connection.ts';
import { attempt } from './noun.ts';
import { merged, type Position, readRecord, recordColumns, recordJoins, walksOf } from './records-list.ts';
import { SegmentRows } from './segment-rows.ts';

interface Pending {
  begun: BegunRecord | null;
  last: RecordPlace<SegmentRow> | null;
}

export class SqliteRecords implements Records {
  readonly #db: DatabaseSync;
  readonly #batch: Batch;
  readonly #segments: SegmentRows;
  readonly #statements = new Map<string, StatementSync>();
  /** A short exec begins and ends within one batch, which then writes its row once. */
  #pending = new Map<string, Pending>();

  constructor(db: DatabaseSync, batch: Batch) {
    this.#db = db;
    this.#batch = batch;
    this.#segments = new SegmentRows(db);
    batch.onFailed(() => this.#segments.forget());
  }

  get failures(): number {
    return this.#batch.failures;
  }

  begun(record: BegunRecord): void {
    this.#pendingOf(record.execId).begun = record;
  }

  ended(execId: string, last: RecordPlace<SegmentRow>): void {
    this.#pendingOf(execId).last = last;
  }

  opened(segment: SegmentRow): void {
    this.#batch.add(() => this.#segments.idOf(segment));
  }

  complete(names: readonly string[]): void {
    if (names.length > 0) this.#batch.add(() => this.#segments.complete(names));
  }

  async find(execId: string): Promise<RecordRow | null> {
    const sql = `SELECT ${recordColumns} FROM execs e ${recordJoins} WHERE e.id = ? AND e.recorded_at IS NOT NULL`;
    return this.#do(`look for the record of ${execId.slice(0, 80)}`, () => {
      const found = this.#prepared(sql).get(execId);
      return found === undefined ? null : readRecord(found).record;
    });
  }

  async list(filter: RecordFilter): Promise<readonly RecordRow[]> {
    return this.#do('read the list of execs', () => {
      const floor = this.#segments.oldest();
      if (floor === null) return [];
      const walks = walksOf(filter, this.#positionOf(filter), floor);
      const walked = walks.flatMap(({ sql, values }) => this.#prepared(sql).all(...values));
      return merged(walked.map(readRecord), filter);
    });
  }

  async running({ after = null, limit }: Page): Promise<readonly RecordRow[]> {
    const sql = `SELECT ${recordColumns} FROM execs e INDEXED BY records_running ${recordJoins}
      WHERE e.recorded_at IS NOT NULL AND e.last_at IS NULL AND (e.recorded_at, e.id) > (?, ?)
      ORDER BY e.recorded_at, e.id LIMIT ?`;
    return this.#do('read the execs that run', () =>
      this.#prepared(sql)
        .all(after?.at ?? -1, after?.id ?? '', limit)
        .map((row) => readRecord(row).record),
    );
  }

  async segments(query: SegmentQuery): Promise<readonly SegmentRow[]> {
    return this.#do('read the segments', () => this.#segments.list(query));
  }

  async segmentAfter(segment: Pick<SegmentRow, 'writer' | 'n'>): Promise<SegmentRow | null> {
    return this.#do('read the segments', () => this.#segments.after(segment));
  }

  async addSegments(segments: readonly SegmentRow[]): Promise<void> {
    this.#do('record segments', () => immediate(this.#db, () => segments.forEach((each) => this.#segments.idOf(each))));
  }

  async dropSegments(names: readonly string[]): Promise<void> {
    this.#do('forget segments', () => immediate(this.#db, () => this.#segments.drop(names)));
  }

  async found(records: readonly FoundRecord[]): Promise<void> {
    this.#do('record what the journal has', () =>
      immediate(this.#db, () => {
        for (const record of records) this.#place(record, record.last);
      }),
    );
  }

  async isIndexed(): Promise<boolean> {
    const sql = "SELECT 1 FROM meta WHERE key = 'execs_indexed'";
    return this.#do('look at the index of execs', () => this.#prepared(sql).get() !== undefined);
  }

  async setIndexed(): Promise<void> {
    const sql = "INSERT INTO meta (key, value) VALUES ('execs_indexed', '1') ON CONFLICT (key) DO NOTHING";
    this.#do('mark the index of execs', () => this.#prepared(sql).run());
  }

  #pendingOf(execId: string): Pending {
    const known = this.#pending.get(execId);
    if (known !== undefined) return known;
    const pending: Pending = { begun: null, last: null };
    this.#pending.set(execId, pending);
    this.#batch.add(() => {
      this.#pending.delete(execId);
      if (pending.begun !== null) this.#place(asFound(pending.begun), pending.last);
      else if (pending.last !== null) this.#end(execId, pending.last);
    });
    return pending;
  }

  /** A row that says all of it already stays as it is. */
  #place(record: Omit<FoundRecord, 'last'>, last: RecordPlace<SegmentRow> | null): void {
    const { execId, taskId, sandboxId, startedAt, start } = record;
    const owner = ownerOf(taskId);
    const columns = [
      owner === ownerOfExec(execId) ? owner : null,
      startedAt,
      this.#segments.idOf(start.segment, startedAt),
      start.offset,
      last === null ? null : this.#segments.idOf(last.segment),
      last?.offset ?? null,
    ];
    const update = this.#prepared(
      `UPDATE execs SET record_owner = ?, recorded_at = ?, segment = ?, start_at = ?, last_segment = ?, last_at = ?
       WHERE id = ? AND (recorded_at IS NULL OR last_at IS NULL)`,
    );
    if (update.run(...columns, execId).changes !== 0) return;
    if (this.#prepared('SELECT 1 FROM execs WHERE id = ?').get(execId) !== undefined) return;
    const insert = this.#prepared(
      `INSERT INTO execs (record_owner, recorded_at, segment, start_at, last_segment, last_at,
         id, kind, task_id, sandbox_id, backend, request, holder, started_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, 'exec', ?, ?, ?, NULL, '', ?)`,
    );
    insert.run(...columns, execId, taskId, sandboxId, record.backend(), startedAt);
  }

  #end(execId: string, { segment, offset }: RecordPlace<SegmentRow>): void {
    const end = this.#prepared('UPDATE execs SET last_segment = ?, last_at = ? WHERE id = ?');
    end.run(this.#segments.idOf(segment), offset, execId);
  }

  #positionOf({ after = null, oldestFirst = false }: RecordFilter): Position | null {
    if (after === null) return null;
    const row = this.#prepared('SELECT rowid AS row FROM execs WHERE id = ?').get(after.id)?.['row'];
    // Without its row the list goes on behind that moment.
    return { at: after.at, row: typeof row === 'number' ? row : oldestFirst ? Number.MAX_SAFE_INTEGER : 0 };
  }

  #do<T>(what: string, work: () => T): T {
    const forgetting = (): T => {
      this.#batch.flush();
      try {
        return work();
      } catch (error) {
        this.#segments.forget();
        throw error;
      }
    };
    return attempt(this.#db, () => what, forgetting);
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}

function asFound({ backend, ...record }: BegunRecord): Omit<FoundRecord, 'last'> {
  return { ...record, backend: () => backend };
}
