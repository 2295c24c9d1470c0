/**
 * Events, and what depends on them. A change of state and its event are one transaction (`events.ts`); a trigger
 * copies it for each webhook that wants its type, so that neither is lost by a crash. It replaces triggers on the tables of
 * sandboxes and approvals.
 *
 * The table `owners` becomes `holders`: it names processes, and an owner is a person.
 */

/** Older events are forgotten, a hundred at a time: some 300 bytes each. */
const mostEvents = 50_000;

export const eventsSchema = `
  DROP TRIGGER webhooks_of_questions;
  DROP TRIGGER webhooks_of_answers;
  DROP TRIGGER webhooks_of_new_sandboxes;
  DROP TRIGGER webhooks_of_sandboxes;
  DROP TRIGGER webhooks_of_removed_sandboxes;

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    type TEXT NOT NULL,
    owner TEXT NOT NULL,
    happened_at INTEGER NOT NULL,
    author TEXT NOT NULL,
    reason TEXT,
    data TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_by_owner ON events (owner, seq);
  CREATE TRIGGER webhooks_of_events AFTER INSERT ON events BEGIN
    INSERT INTO webhook_deliveries (id, endpoint, type, data, happened_at, attempts, next_at)
    SELECT 'evt_' || lower(hex(randomblob(12))), name, NEW.type, NEW.data, NEW.happened_at, 0, 0
    FROM webhook_endpoints WHERE EXISTS (SELECT 1 FROM json_each(events) WHERE value = NEW.type);
  END;
  CREATE TRIGGER events_are_bounded AFTER INSERT ON events WHEN NEW.seq % 100 = 0 BEGIN
    DELETE FROM events WHERE seq <= NEW.seq - ${mostEvents};
  END;

  ALTER TABLE owners RENAME TO holders;
  ALTER TABLE leases RENAME COLUMN owner TO holder;
  ALTER TABLE execs RENAME COLUMN owner TO holder;
  DROP INDEX leases_by_owner;
  CREATE INDEX leases_by_holder ON leases (holder);
`;
