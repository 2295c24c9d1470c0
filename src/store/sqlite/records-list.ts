/** One page of records. Each part of a filter is one walk along an index, as far as the page needs. */
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { RecordFilter, RecordRow } from '../records.ts';
import { integer, nullable, object, text } from './shape.ts';

export const recordColumns = `e.rowid AS row, e.id AS execId, e.task_id AS taskId, e.sandbox_id AS sandboxId,
  e.recorded_at AS startedAt, s.name AS segment, e.start_at AS startAt, l.name AS lastSegment, e.last_at AS lastAt`;
export const recordJoins = `CROSS JOIN record_segments s ON s.id = e.segment
  LEFT JOIN record_segments l ON l.id = e.last_segment`;

interface Stored extends Pick<RecordRow, 'execId' | 'taskId' | 'sandboxId' | 'startedAt'> {
  readonly row: number;
  readonly segment: string;
  readonly startAt: number;
  readonly lastSegment: string | null;
  readonly lastAt: number | null;
}

const shape = object<Stored>({
  row: integer,
  execId: text,
  taskId: text,
  sandboxId: text,
  startedAt: integer,
  segment: text,
  startAt: integer,
  lastSegment: nullable(text),
  lastAt: nullable(integer),
});

export interface Listed {
  readonly row: number;
  readonly record: RecordRow;
}

export function readRecord(stored: Record<string, SQLOutputValue>): Listed {
  const { row, segment, startAt, lastSegment, lastAt, ...ids } = shape(stored, 'record');
  const start = { segment, offset: startAt };
  return { row, record: { ...ids, start, last: lastAt === null ? null : { segment: lastSegment, offset: lastAt } } };
}

export interface Walk {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

export interface Position {
  readonly at: number;
  readonly row: number;
}

interface Part {
  readonly index: string;
  readonly where: string;
  readonly values: readonly string[];
}

/** The walks of which a page is merged. `floor`: no record is older. */
export function walksOf(filter: RecordFilter, after: Position | null, floor: number): readonly Walk[] {
  const { owner, limit, oldestFirst = false } = filter;
  const order = oldestFirst ? 'ASC' : 'DESC';
  const position = after === null ? '' : `AND (e.recorded_at, e.rowid) ${oldestFirst ? '>' : '<'} (?, ?)`;
  return partsOf(filter).map(({ index, where, values }) => ({
    sql: `SELECT ${recordColumns} FROM execs e INDEXED BY ${index} ${recordJoins}
      WHERE ${where} e.recorded_at IS NOT NULL AND e.recorded_at >= ? ${position}
      ${owner === undefined ? '' : 'AND e.record_owner = ?'}
      ORDER BY e.recorded_at ${order}, e.rowid ${order} LIMIT ?`,
    values: [
      ...values,
      floor,
      ...(after === null ? [] : [after.at, after.row]),
      ...(owner === undefined ? [] : [owner]),
      Number.isFinite(limit) ? limit : -1,
    ],
  }));
}

function partsOf({ task, owner, sandboxes }: RecordFilter): readonly Part[] {
  if (sandboxes !== undefined) {
    const within = task === undefined ? '' : '(e.task_id = ? OR e.sandbox_id = ?) AND';
    const named = task === undefined ? [] : [task, task];
    const where = `e.sandbox_id = ? AND ${within}`;
    return sandboxes.map((id) => ({ index: 'records_by_sandbox', where, values: [id, ...named] }));
  }
  if (task !== undefined)
    return [
      { index: 'records_by_task', where: 'e.task_id = ? AND', values: [task] },
      { index: 'records_by_sandbox', where: 'e.sandbox_id = ? AND', values: [task] },
    ];
  // The owner is compared in any case.
  return [{ index: owner === undefined ? 'records_by_age' : 'records_by_owner', where: '', values: [] }];
}

/** The first of all walks together, each once. */
export function merged(walked: readonly Listed[], { limit, oldestFirst = false }: RecordFilter): readonly RecordRow[] {
  const each = [...new Map(walked.map((listed) => [listed.row, listed])).values()];
  const way = oldestFirst ? 1 : -1;
  each.sort((a, b) => way * (a.record.startedAt - b.record.startedAt || a.row - b.row));
  return each.slice(0, limit).map(({ record }) => record);
}
