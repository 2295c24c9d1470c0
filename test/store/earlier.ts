/** Statements that take newer steps of the database back, for tests that make one of an earlier version. */

/** Steps 7, 8 and 11. Triggers name columns, so that it is the first one to go. */
export const withoutService = `
  DROP TABLE events;
  ALTER TABLE holders RENAME TO owners; ALTER TABLE leases RENAME COLUMN holder TO owner;
  ALTER TABLE execs RENAME COLUMN holder TO owner;
  DROP INDEX leases_by_holder; CREATE INDEX leases_by_owner ON leases (owner);
  DROP TABLE webhook_deliveries; DROP TABLE webhook_endpoints;
  DROP TABLE tokens; DROP TABLE saved_rules; ALTER TABLE approvals DROP COLUMN asked_by;`;
