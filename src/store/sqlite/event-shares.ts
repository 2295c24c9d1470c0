/** How many events of each owner are kept. Where all together are too many, those with more than their share lose their oldest. */
import type { DatabaseSync } from 'node:sqlite';
import { fairLevel } from '../../lib/fair-level.ts';
import { integer, object, text } from './shape.ts';

/** Events are counted in groups of so many. One that is part of a whole group has been counted, by whichever process. */
const group = 100;

/** `gone`: the newest event of the owner that is not kept. The row without an owner has what was gone before there were shares. */
export const eventSharesSchema = `
  CREATE TABLE event_owners (
    owner TEXT PRIMARY KEY,
    kept INTEGER NOT NULL,
    gone INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO event_owners (owner, kept, gone) SELECT '', 0, ifnull(min(seq), 1) - 1 FROM events;
  INSERT INTO event_owners (owner, kept, gone)
    SELECT owner, count(*), 0 FROM events WHERE seq <= (SELECT max(seq) FROM events) / ${group} * ${group} GROUP BY owner;`;

interface Share {
  readonly owner: string;
  readonly kept: number;
  readonly gone: number;
}

const shape = object<Share>({ owner: text, kept: integer, gone: integer });

/** Called with each event that is added, in its transaction. */
export function countEvent(db: DatabaseSync, seq: number, max: number): void {
  if (seq % group !== 0) return;
  db.prepare(
    `INSERT INTO event_owners (owner, kept, gone)
     SELECT owner, count(*), 0 FROM events WHERE seq > ? GROUP BY owner
     ON CONFLICT (owner) DO UPDATE SET kept = kept + excluded.kept`,
  ).run(seq - group);
  const all = db.prepare('SELECT owner, kept, gone FROM event_owners WHERE kept > 0').all();
  const shares = all.map((row) => shape(row, 'share of events'));
  const kept = shares.map((share) => share.kept);
  // The newest event stays, so that its number is not given again.
  const level = Math.max(1, Math.floor(fairLevel(kept, max)));
  for (const share of shares) if (share.kept > level) forget(db, share, share.kept - level);
}

/** The oldest of one owner. */
function forget(db: DatabaseSync, { owner, gone }: Share, count: number): void {
  const oldest = 'SELECT seq FROM events WHERE owner = ? AND seq > ? ORDER BY seq LIMIT ?';
  const last = db.prepare(`SELECT max(seq) AS last FROM (${oldest})`).get(owner, gone, count)?.['last'];
  if (typeof last !== 'number') return;
  const { changes } = db.prepare('DELETE FROM events WHERE owner = ? AND seq > ? AND seq <= ?').run(owner, gone, last);
  db.prepare('UPDATE event_owners SET kept = kept - ?, gone = ? WHERE owner = ?').run(changes, last, owner);
}

/** The newest event that is not kept, of an owner or of all of them. 0: all are kept. */
export function newestGone(db: DatabaseSync, owner: string | null): number {
  const gone =
    owner === null
      ? db.prepare('SELECT max(gone) AS gone FROM event_owners').get()
      : db.prepare("SELECT max(gone) AS gone FROM event_owners WHERE owner IN ('', ?)").get(owner);
  return Number(gone?.['gone'] ?? 0);
}
