/** For tests that make a database of an earlier version. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore } from '../../src/store/sqlite/open.ts';
import type { SandboxRow } from '../../src/store/store.ts';
import { scratch } from './scratch.ts';

/** Writes a row into a database of an earlier version, as far as that has its columns. */
export async function insertEarlier(path: string, row: SandboxRow): Promise<void> {
  await using directory = await scratch();
  const newer = join(directory.path, 'newer.db');
  const { store } = await openStore(newer);
  await store.insertSandbox(row);
  await store.close();
  const database = new DatabaseSync(path);
  const columns = database.prepare("SELECT name FROM pragma_table_info('sandboxes')").all();
  const names = columns.map(({ name }) => String(name)).join(', ');
  database.exec(`ATTACH '${newer}' AS newer; INSERT INTO sandboxes (${names}) SELECT ${names} FROM newer.sandboxes`);
  database.close();
}

/** Statements that take back steps 7 to 9. Triggers name columns, so that it is the first one to go. */
export const withoutService = `
  DROP TRIGGER webhooks_of_questions; DROP TRIGGER webhooks_of_answers; DROP TRIGGER webhooks_of_new_sandboxes;
  DROP TRIGGER webhooks_of_sandboxes; DROP TRIGGER webhooks_of_removed_sandboxes;
  ALTER TABLE sandboxes DROP COLUMN labels; DROP TABLE webhook_deliveries; DROP TABLE webhook_endpoints;
  DROP TABLE tokens; DROP TABLE saved_rules; ALTER TABLE approvals DROP COLUMN asked_by;`;
