/** The table of questions about commands. Statements are prepared on use: most processes never ask. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { ApprovalAnswer, ApprovalRow, Approvals } from '../decisions.ts';
import type { Caller } from '../../values/caller.ts';
import { forced, immediate } from './connection.ts';
import { type EventTable, eventOf } from './events.ts';
import type { Page } from '../pages.ts';
import type { Table } from './table.ts';
import { integer, json, nullable, object, oneOf, record, text } from './shape.ts';

const shape = object<ApprovalRow>({
  id: text,
  binding: text,
  taskId: text,
  question: json(record),
  state: oneOf('pending', 'approved', 'denied', 'used'),
  choice: nullable(text),
  answeredBy: nullable(text),
  askedBy: nullable(json(object<Caller>({ owner: text, token: text }))),
  createdAt: integer,
});

const columns =
  'id, binding, task_id AS taskId, question, state, choice, answered_by AS answeredBy, asked_by AS askedBy, created_at AS createdAt';
/** In the order of the questions, also within a millisecond. A question that is gone stands before the others of its moment. */
export const pendingPage = `SELECT ${columns} FROM approvals
  WHERE state = 'pending' AND task_id = coalesce(?, task_id)
    AND (created_at, rowid) > (?, coalesce((SELECT rowid FROM approvals WHERE id = ?), -1))
  ORDER BY created_at, rowid LIMIT ?`;
const keptMs = 7 * 86_400_000;

export class ApprovalTable implements Table<Approvals> {
  readonly #db: DatabaseSync;
  readonly #events: EventTable;

  constructor(db: DatabaseSync, events: EventTable) {
    this.#db = db;
    this.#events = events;
  }

  insert(row: ApprovalRow): void {
    immediate(this.#db, () => {
      this.#insert(row);
      this.#events.add(eventOf('approval.asked', row.taskId, askedData(row)));
    });
  }

  #insert({ id, binding, taskId, question, state, choice, answeredBy, askedBy, createdAt }: ApprovalRow): void {
    this.#db.prepare('DELETE FROM approvals WHERE created_at < ?').run(createdAt - keptMs);
    const insert = this.#db.prepare(
      `INSERT INTO approvals (id, binding, task_id, question, state, choice, answered_by, asked_by, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const asker = askedBy === null ? null : JSON.stringify(askedBy);
    insert.run(id, binding, taskId, JSON.stringify(question), state, choice, answeredBy, asker, createdAt);
  }

  /** False when it has been answered before. */
  answer(id: string, { state, choice, by }: ApprovalAnswer): boolean {
    const answer = this.#db.prepare(
      "UPDATE approvals SET state = ?, choice = ?, answered_by = ? WHERE id = ? AND state = 'pending'",
    );
    const work = (): boolean => {
      if (answer.run(state, choice, by, id).changes === 0) return false;
      const taskId = this.find(id)?.taskId ?? '';
      this.#events.add(eventOf('approval.answered', taskId, { approvalId: id, taskId, state, choice, by }));
      return true;
    };
    return forced(this.#db, () => immediate(this.#db, work));
  }

  /** True once, for the very command that it was given for. A crash after it must not give it a second time. */
  use(id: string, binding: string): boolean {
    const use = this.#db.prepare(
      "UPDATE approvals SET state = 'used' WHERE id = ? AND binding = ? AND state = 'approved'",
    );
    return forced(this.#db, () => use.run(id, binding)).changes === 1;
  }

  find(id: string): ApprovalRow | null {
    const row = this.#db.prepare(`SELECT ${columns} FROM approvals WHERE id = ?`).get(id);
    return row === undefined ? null : read(row);
  }

  answered({ after = null, limit }: Page): readonly ApprovalRow[] {
    const sql = `SELECT ${columns} FROM approvals WHERE state IN ('approved', 'used') AND (created_at, id) > (?, ?)
      ORDER BY created_at, id LIMIT ?`;
    return this.#db
      .prepare(sql)
      .all(after?.at ?? -1, after?.id ?? '', limit)
      .map(read);
  }

  pending({ taskId = null, after = null, limit }: Page & { readonly taskId?: string | null }): readonly ApprovalRow[] {
    const { at, id } = after ?? { at: -1, id: '' };
    return this.#db.prepare(pendingPage).all(taskId, at, id, limit).map(read);
  }
}

function read(row: Record<string, SQLOutputValue>): ApprovalRow {
  return shape(row, 'approval');
}

/** Never the command itself: it may hold what only its owner is to see. */
function askedData({ id, taskId, question }: ApprovalRow): Readonly<Record<string, unknown>> {
  const { choices = [], findings, title = null, backend = null, cwd = null, variables = [], stdin = false } = question;
  const descriptions = Array.isArray(findings)
    ? findings.map((each: unknown) => (Reflect.get(Object(each), 'description') as unknown) ?? null)
    : [];
  return { approvalId: id, taskId, choices, findings: descriptions, title, backend, cwd, variables, stdin };
}
