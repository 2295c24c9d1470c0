/** One page of the history. Each part of a filter is one walk along an index, as far as the page needs. */
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { Fault, HistoryFilter, HistoryRow } from '../history.ts';
import { type Check, integer, json, list, nullable, object, oneOf, text } from './shape.ts';

const columns = `seq, id, kind, owner, token, task_id AS taskId, sandbox_id AS sandboxId, backend, command, started_at AS startedAt,
  CASE WHEN running = 1 THEN 'running' ELSE coalesce(fault, 'done') END AS outcome,
  reason, exit_code AS exitCode, signal, duration_ms AS durationMs, bytes, rule`;

const shape: Check<HistoryRow> = object<HistoryRow>({
  seq: integer,
  id: nullable(text),
  kind: oneOf('exec', 'session', 'process', 'copy'),
  owner: text,
  token: nullable(text),
  taskId: text,
  sandboxId: nullable(text),
  backend: nullable(text),
  command: json(list(text)),
  startedAt: integer,
  outcome: oneOf('running', 'done', 'failed', 'denied', 'lost'),
  reason: nullable(text),
  exitCode: nullable(integer),
  signal: nullable(text),
  durationMs: nullable(integer),
  bytes: nullable(integer),
  rule: nullable(text),
});

export const readAct = (row: Record<string, SQLOutputValue>): HistoryRow => shape(row, 'history');

export interface Walk {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

interface Part {
  readonly suffix: string;
  readonly where: readonly string[];
  readonly values: readonly string[];
}

export function walksOf(filter: HistoryFilter): readonly Walk[] {
  const faults: readonly (Fault | null)[] = filter.faults ?? [null];
  return partsOf(filter).flatMap((part) => faults.map((fault) => walkOf(filter, part, fault)));
}

function walkOf(filter: HistoryFilter, { suffix, where, values }: Part, fault: Fault | null): Walk {
  const { sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER, after = null, limit } = filter;
  const index = fault === null ? `history${suffix === '' ? '_by_age' : suffix}` : `history_faults${suffix}`;
  const conditions = [
    ...where,
    ...(fault === null ? [] : ['fault = ?']),
    'started_at >= ? AND started_at < ?',
    ...(after === null ? [] : ['(started_at, seq) < (?, ?)']),
  ];
  return {
    sql: `SELECT ${columns} FROM history INDEXED BY ${index} WHERE ${conditions.join(' AND ')}
      ORDER BY started_at DESC, seq DESC LIMIT ?`,
    values: [
      ...values,
      ...(fault === null ? [] : [fault]),
      ...[sinceMs, untilMs],
      ...(after === null ? [] : [after.at, after.seq]),
      limit,
    ],
  };
}

/** The owner is compared in any case, beside the index of a task or a sandbox. */
function partsOf({ task, owner, sandboxes }: HistoryFilter): readonly Part[] {
  const own = owner === undefined ? [] : [owner];
  const isOwn = owner === undefined ? [] : ['owner = ?'];
  const within = (suffix: string, column: string, id: string, also: readonly string[] = []): Part => ({
    suffix,
    where: [`${column} = ?`, ...isOwn, ...(also.length === 0 ? [] : ['(task_id = ? OR sandbox_id = ?)'])],
    values: [id, ...own, ...also],
  });
  if (sandboxes !== undefined) {
    const named = task === undefined ? [] : [task, task];
    return sandboxes.map((id) => within('_by_sandbox', 'sandbox_id', id, named));
  }
  if (task !== undefined) return [within('_by_task', 'task_id', task), within('_by_sandbox', 'sandbox_id', task)];
  return [{ suffix: owner === undefined ? '' : '_by_owner', where: isOwn, values: own }];
}

/** The first of all walks together, each once. */
export function merged(walked: readonly HistoryRow[], limit: number): readonly HistoryRow[] {
  const each = [...new Map(walked.map((row) => [row.seq, row])).values()];
  each.sort((a, b) => b.startedAt - a.startedAt || b.seq - a.seq);
  return each.slice(0, limit);
}
