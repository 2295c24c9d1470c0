/** One page of sandboxes: a walk along one index, as far as the page needs. */
import type { SQLInputValue } from 'node:sqlite';
import type { SandboxQuery } from '../store.ts';

export interface Walk {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** Oldest first. */
export function walkOf(query: SandboxQuery): Walk {
  const conditions = [...placeOf(query), ...equalTo(query), ...labelled(query), ...member(query)];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
  return {
    sql: `SELECT * FROM sandboxes ${indexOf(query)} ${where} ORDER BY created_at, id LIMIT ?`,
    values: [...conditions.flatMap(({ values }) => values), query.limit],
  };
}

function indexOf({ task, owner, members }: SandboxQuery): string {
  if (task !== undefined) return '';
  if (members === true && owner === undefined) return 'INDEXED BY sandboxes_members';
  return `INDEXED BY ${owner === undefined ? 'sandboxes_by_age' : 'sandboxes_by_owner'}`;
}

/** A task has one sandbox: a column with `+` leaves the choice of an index to its keys (sqlite.org/optoverview.html, 2). */
function placeOf({ task, after = null }: SandboxQuery): readonly Condition[] {
  const named = task === undefined ? [] : [{ sql: '(task_id = ? OR id = ?)', values: [task, task] }];
  const position = task === undefined ? '(created_at, id)' : '(+created_at, +id)';
  return after === null ? named : [...named, { sql: `${position} > (?, ?)`, values: [after.at, after.id] }];
}

function equalTo({ task, owner, backend, state }: SandboxQuery): readonly Condition[] {
  return Object.entries({ owner, backend, state }).flatMap(([column, value]) =>
    value === undefined ? [] : [{ sql: `${task === undefined ? '' : '+'}${column} = ?`, values: [value] }],
  );
}

function member({ members }: SandboxQuery): readonly Condition[] {
  return members === undefined ? [] : [{ sql: `pool IS ${members ? 'NOT ' : ''}NULL`, values: [] }];
}

/** Each wanted label is among those of the row. Labels that cannot be read match nothing: a token may be bound to one. */
const hasLabels = `CASE WHEN json_valid(labels) THEN NOT EXISTS (
  SELECT 1 FROM json_each(?) wanted WHERE NOT EXISTS (
    SELECT 1 FROM json_each(labels) own WHERE own.key = wanted.key AND own.value = wanted.value)) ELSE 0 END`;

function labelled({ labels }: SandboxQuery): readonly Condition[] {
  return labels === undefined ? [] : [{ sql: hasLabels, values: [JSON.stringify(labels)] }];
}
