/** How much there is in the database. It reads indexes and small tables alone: the largest ones are not counted. */
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { StoreFigures } from '../figures.ts';
import { integer, object, text } from './shape.ts';

const sandboxShape = object<StoreFigures['sandboxes'][number]>({ backend: text, state: text, count: integer });
const webhookShape = object<StoreFigures['webhooks'][number]>({ endpoint: text, waiting: integer, givenUp: integer });
const totalShape = object<Pick<StoreFigures, 'processes' | 'tokens' | 'questions' | 'writes'>>({
  processes: integer,
  tokens: integer,
  questions: integer,
  writes: integer,
});

const sandboxes = 'SELECT backend, state, count(*) AS count FROM sandboxes GROUP BY backend, state';
const webhooks = `SELECT name AS endpoint, count(next_at) AS waiting, count(id) - count(next_at) AS givenUp
  FROM webhook_endpoints LEFT JOIN webhook_deliveries ON endpoint = name GROUP BY name`;
const totals = `SELECT (SELECT count(*) FROM execs WHERE kind = 'detached') AS processes,
  (SELECT count(*) FROM tokens) AS tokens,
  (SELECT count(*) FROM approvals WHERE state = 'pending') AS questions, total_changes() AS writes`;

export function figuresOf(db: DatabaseSync): StoreFigures {
  const path = db.location() ?? '';
  return {
    sandboxes: db
      .prepare(sandboxes)
      .all()
      .map((row) => sandboxShape(row, 'count')),
    webhooks: db
      .prepare(webhooks)
      .all()
      .map((row) => webhookShape(row, 'count')),
    ...totalShape(db.prepare(totals).get() ?? {}, 'counts'),
    bytes: sizeOf(path),
    logBytes: sizeOf(`${path}-wal`),
  };
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
