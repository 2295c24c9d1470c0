/** Statements that take newer steps of the database back, for tests that make one of an earlier version. */
import { chmodSync } from 'node:fs';
import { connect } from '../../src/store/sqlite/connection.ts';
import { migrate, type Migration } from '../../src/store/sqlite/migrations.ts';
import { assignments } from '../../src/store/sqlite/row.ts';
import type { SandboxRow } from '../../src/store/store.ts';

/** A database of an earlier version with one sandbox. */
export function earlierWith(path: string, steps: readonly Migration[], row: SandboxRow): void {
  const db = connect(path);
  migrate(db, steps);
  const columns = new Set(
    db
      .prepare("SELECT name FROM pragma_table_info('sandboxes')")
      .all()
      .map(({ name }) => name),
  );
  const set = assignments(row).filter(({ column }) => columns.has(column));
  const [names, places] = [set.map(({ column }) => column), set.map(() => '?')].map((list) => list.join(', '));
  db.prepare(`INSERT INTO sandboxes (${names}) VALUES (${places})`).run(...set.map(({ value }) => value));
  db.close();
  chmodSync(path, 0o600);
}

/** Step 21. */
export const withoutSamples = 'DROP TABLE samples;';

/** Step 20. */
export const withoutHistory = 'DROP TABLE history;';

/** Step 19. */
export const withoutPool =
  'DROP INDEX sandboxes_pooled; DROP INDEX sandboxes_members; ALTER TABLE sandboxes DROP COLUMN pool;';

/** Steps 7 to 16. Triggers name columns, so that it is the first one to go. */
export const withoutService = `
  DROP TABLE record_segments; DROP TABLE egress_rules; DROP TABLE process_places; DROP TABLE events;
  ALTER TABLE holders RENAME TO owners; ALTER TABLE leases RENAME COLUMN holder TO owner;
  ALTER TABLE execs RENAME COLUMN holder TO owner;
  DROP INDEX leases_by_holder; CREATE INDEX leases_by_owner ON leases (owner);
  ALTER TABLE sandboxes DROP COLUMN labels; DROP TABLE webhook_deliveries; DROP TABLE webhook_endpoints;
  DROP TABLE tokens; DROP TABLE saved_rules; ALTER TABLE approvals DROP COLUMN asked_by;`;
