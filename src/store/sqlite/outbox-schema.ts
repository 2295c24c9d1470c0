/**
 * Events for webhooks, written in the same transaction as what happened: neither of the two is lost by a crash, whichever
 * process it is. As long as no endpoint is configured, nothing is written. A step that makes one of the watched tables anew,
 * or drops a column that a trigger names, must make these triggers anew, too.
 */

const now = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`;

const send = (type: string, data: string): string => `
  INSERT INTO webhook_deliveries (id, endpoint, type, data, happened_at, attempts, next_at)
  SELECT 'evt_' || lower(hex(randomblob(12))), name, '${type}', ${data}, ${now}, 0, 0
  FROM webhook_endpoints WHERE EXISTS (SELECT 1 FROM json_each(events) WHERE value = '${type}');`;

const state = (row: string, from: string, to: string): string =>
  send(
    'sandbox.state',
    `json_object('sandboxId', ${row}.id, 'taskId', ${row}.task_id, 'backend', ${row}.backend,
       'from', ${from}, 'to', ${to}, 'by', ${row}.ended_by)`,
  );

export const outboxSchema = `
  CREATE TABLE webhook_endpoints (name TEXT PRIMARY KEY, events TEXT NOT NULL) STRICT;
  CREATE TABLE webhook_deliveries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    endpoint TEXT NOT NULL REFERENCES webhook_endpoints (name) ON DELETE CASCADE,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    happened_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    next_at INTEGER,
    failure TEXT
  ) STRICT;
  CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint, seq);

  CREATE TRIGGER webhooks_of_questions AFTER INSERT ON approvals BEGIN
    ${send(
      'approval.asked',
      `json_object('approvalId', NEW.id, 'taskId', NEW.task_id,
         'choices', json(ifnull(json_extract(NEW.question, '$.choices'), '[]')),
         'findings', (SELECT json_group_array(json_extract(value, '$.description'))
                      FROM json_each(NEW.question, '$.findings')))`,
    )}
  END;
  CREATE TRIGGER webhooks_of_answers AFTER UPDATE OF state ON approvals
  WHEN OLD.state = 'pending' AND NEW.state <> 'pending' BEGIN
    ${send(
      'approval.answered',
      `json_object('approvalId', NEW.id, 'taskId', NEW.task_id, 'state', NEW.state, 'choice', NEW.choice,
         'by', NEW.answered_by)`,
    )}
  END;
  CREATE TRIGGER webhooks_of_new_sandboxes AFTER INSERT ON sandboxes BEGIN
    ${state('NEW', 'NULL', 'NEW.state')}
  END;
  CREATE TRIGGER webhooks_of_sandboxes AFTER UPDATE OF state ON sandboxes WHEN OLD.state <> NEW.state BEGIN
    ${state('NEW', 'OLD.state', 'NEW.state')}
  END;
  CREATE TRIGGER webhooks_of_removed_sandboxes AFTER DELETE ON sandboxes BEGIN
    ${state('OLD', 'OLD.state', `'removed'`)}
  END;
`;
