/** Columns and indexes for the places of records. Rows without a record, such as those of detached processes, are in none of them. */
export const recordsSchema = `
  CREATE TABLE record_segments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    writer TEXT NOT NULL,
    n INTEGER NOT NULL,
    since INTEGER NOT NULL,
    complete INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX record_segments_by_writer ON record_segments (writer, n);
  CREATE INDEX record_segments_by_age ON record_segments (since);
  CREATE INDEX record_segments_incomplete ON record_segments (id) WHERE complete = 0;
  ALTER TABLE execs ADD COLUMN record_owner TEXT;
  ALTER TABLE execs ADD COLUMN recorded_at INTEGER;
  ALTER TABLE execs ADD COLUMN segment INTEGER;
  ALTER TABLE execs ADD COLUMN start_at INTEGER;
  ALTER TABLE execs ADD COLUMN last_segment INTEGER;
  ALTER TABLE execs ADD COLUMN last_at INTEGER;
  CREATE INDEX records_by_age ON execs (recorded_at) WHERE recorded_at IS NOT NULL;
  CREATE INDEX records_by_task ON execs (task_id, recorded_at) WHERE recorded_at IS NOT NULL;
  CREATE INDEX records_by_sandbox ON execs (sandbox_id, recorded_at) WHERE recorded_at IS NOT NULL;
  CREATE INDEX records_by_owner ON execs (record_owner, recorded_at) WHERE recorded_at IS NOT NULL;
  CREATE INDEX records_running ON execs (segment) WHERE recorded_at IS NOT NULL AND last_at IS NULL;
  DELETE FROM meta WHERE key = 'execs_indexed';`;
