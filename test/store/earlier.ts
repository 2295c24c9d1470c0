/** Statements that take newer steps of the database back, for tests that make one of an earlier version. */

/** Steps 7 and 8. Triggers name columns, so that it is the first one to go. */
export const withoutService = `
  DROP TRIGGER webhooks_of_questions; DROP TRIGGER webhooks_of_answers; DROP TRIGGER webhooks_of_new_sandboxes;
  DROP TRIGGER webhooks_of_sandboxes; DROP TRIGGER webhooks_of_removed_sandboxes;
  DROP TABLE webhook_deliveries; DROP TABLE webhook_endpoints;
  DROP TABLE tokens; DROP TABLE saved_rules; ALTER TABLE approvals DROP COLUMN asked_by;`;
