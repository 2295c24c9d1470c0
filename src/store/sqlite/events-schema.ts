/**
 * Events, and what depends on them. A change of state and its event are one transaction (`events.ts`); a trigger
 * copies it for each webhook that wants its type, so that neither is lost by a crash. It replaces triggers on the tables of
 * sandboxes and approvals.
 *
 * Each command adds two events, so that their table costs as little as can be: no index, as readers go on from a number, and no
 * AUTOINCREMENT, as the newest event stays and its number is not given again.
 *
 * The table `owners` becomes `holders`: it names processes, and an owner is a person.
 */

export const eventsSchema = `
  DROP TRIGGER webhooks_of_questions;
  DROP TRIGGER webhooks_of_answers;
  DROP TRIGGER webhooks_of_new_sandboxes;
  DROP TRIGGER webhooks_of_sandboxes;
  DROP TRIGGER webhooks_of_removed_sandboxes;

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    owner TEXT NOT NULL,
    happened_at INTEGER NOT NULL,
    author TEXT NOT NULL,
    reason TEXT,
    data TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER webhooks_of_events AFTER INSERT ON events WHEN EXISTS (SELECT 1 FROM webhook_endpoints) BEGIN
    INSERT INTO webhook_deliveries (id, endpoint, type, data, happened_at, attempts, next_at)
    SELECT 'evt_' || lower(hex(randomblob(12))), name, NEW.type, NEW.data, NEW.happened_at, 0, 0
    FROM webhook_endpoints WHERE EXISTS (SELECT 1 FROM json_each(events) WHERE value = NEW.type);
  END;

  ALTER TABLE owners RENAME TO holders;
  ALTER TABLE leases RENAME COLUMN owner TO holder;
  ALTER TABLE execs RENAME COLUMN owner TO holder;
  DROP INDEX leases_by_owner;
  CREATE INDEX leases_by_holder ON leases (holder);
`;
