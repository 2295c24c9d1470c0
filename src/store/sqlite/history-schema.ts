/**
 * One row an act. `fault` is null for what runs and for what ended well, so that the indexes of faults have no more than those;
 * `running` marks acts whose end is looked up by their id.
 */
export const historySchema = `
  CREATE TABLE history (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT,
    kind TEXT NOT NULL,
    owner TEXT NOT NULL,
    token TEXT,
    task_id TEXT NOT NULL,
    sandbox_id TEXT,
    backend TEXT,
    command TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    running INTEGER NOT NULL,
    fault TEXT,
    reason TEXT,
    exit_code INTEGER,
    signal TEXT,
    duration_ms INTEGER,
    bytes INTEGER,
    rule TEXT
  ) STRICT;
  CREATE INDEX history_by_age ON history (started_at);
  CREATE INDEX history_by_owner ON history (owner, started_at);
  CREATE INDEX history_by_task ON history (task_id, started_at);
  CREATE INDEX history_by_sandbox ON history (sandbox_id, started_at);
  CREATE INDEX history_faults ON history (fault, started_at) WHERE fault IS NOT NULL;
  CREATE INDEX history_faults_by_owner ON history (owner, fault, started_at) WHERE fault IS NOT NULL;
  CREATE INDEX history_faults_by_task ON history (task_id, fault, started_at) WHERE fault IS NOT NULL;
  CREATE INDEX history_faults_by_sandbox ON history (sandbox_id, fault, started_at) WHERE fault IS NOT NULL;
  CREATE INDEX history_running ON history (id) WHERE running = 1;`;
