/**
 * The shape of the database, one step a version. A step that was released is never edited: the next one changes it.
 */
import type { DatabaseSync } from 'node:sqlite';
import { CaissonError } from '../../errors.ts';
import { immediate } from './connection.ts';
import { eventSharesSchema } from './event-shares.ts';
import { eventsSchema } from './events-schema.ts';
import { historySchema } from './history-schema.ts';
import { outboxSchema } from './outbox-schema.ts';
import { pagesSchema } from './pages-schema.ts';
import { poolSchema } from './pool-schema.ts';
import { recordsSchema } from './records-schema.ts';
import { samplesSchema } from './samples.ts';

export interface Migration {
  /** 1, 2, 3 without holes. */
  readonly version: number;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [
  {
    version: 1,
    sql: `
      CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
      CREATE TABLE owners (
        id TEXT PRIMARY KEY,
        host TEXT NOT NULL,
        machine TEXT,
        pid INTEGER,
        start_time TEXT,
        heartbeat_at INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE leases (
        key TEXT PRIMARY KEY,
        owner TEXT NOT NULL REFERENCES owners (id) ON DELETE CASCADE
      ) STRICT;
      CREATE INDEX leases_by_owner ON leases (owner);
      CREATE TABLE sandboxes (
        id TEXT PRIMARY KEY,
        task_id TEXT NOT NULL UNIQUE,
        backend TEXT NOT NULL,
        name TEXT NOT NULL UNIQUE,
        spec TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        state TEXT NOT NULL,
        ref TEXT,
        directory TEXT,
        degraded TEXT NOT NULL,
        effective TEXT,
        generation INTEGER NOT NULL,
        ephemeral INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        used_at INTEGER NOT NULL,
        idle_ms INTEGER,
        ttl_ms INTEGER
      ) STRICT;
    `,
  },
  {
    version: 2,
    sql: `
      CREATE TABLE approvals (
        id TEXT PRIMARY KEY,
        binding TEXT NOT NULL,
        task_id TEXT NOT NULL,
        question TEXT NOT NULL,
        state TEXT NOT NULL,
        choice TEXT,
        answered_by TEXT,
        created_at INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX approvals_by_age ON approvals (created_at);
    `,
  },
  {
    version: 3,
    sql: `
      ALTER TABLE sandboxes ADD COLUMN created_boot TEXT;
      ALTER TABLE sandboxes ADD COLUMN used_boot TEXT;
      ALTER TABLE sandboxes ADD COLUMN ended_by TEXT;
      ALTER TABLE owners ADD COLUMN heartbeat_boot_ms INTEGER;
      CREATE TABLE execs (
        id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        task_id TEXT NOT NULL,
        sandbox_id TEXT NOT NULL,
        backend TEXT NOT NULL,
        request TEXT,
        owner TEXT NOT NULL,
        started_at INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX execs_detached ON execs (kind) WHERE kind = 'detached';
      CREATE INDEX execs_by_age ON execs (started_at);
    `,
  },
  {
    version: 4,
    sql: `
      CREATE TABLE grants (
        id TEXT PRIMARY KEY,
        task_id TEXT NOT NULL,
        rules TEXT NOT NULL,
        keys TEXT NOT NULL,
        covers TEXT NOT NULL,
        granted_by TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER
      ) STRICT;
      CREATE TRIGGER grants_end_with_sandbox AFTER DELETE ON sandboxes BEGIN
        DELETE FROM grants WHERE task_id = OLD.task_id;
      END;
    `,
  },
  { version: 5, sql: 'ALTER TABLE sandboxes ADD COLUMN configured TEXT;' },
  { version: 6, sql: 'ALTER TABLE sandboxes ADD COLUMN lost_since TEXT;' },
  {
    version: 7,
    sql: `
      CREATE TABLE tokens (
        id TEXT PRIMARY KEY,
        digest TEXT NOT NULL UNIQUE,
        owner TEXT NOT NULL,
        name TEXT NOT NULL,
        scopes TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER
      ) STRICT;
      CREATE TABLE saved_rules (
        owner TEXT NOT NULL,
        rule TEXT NOT NULL,
        saved_by TEXT NOT NULL,
        saved_at INTEGER NOT NULL,
        UNIQUE (owner, rule)
      ) STRICT;
      ALTER TABLE approvals ADD COLUMN asked_by TEXT;
    `,
  },
  { version: 8, sql: outboxSchema },
  {
    version: 9,
    sql: `
      ALTER TABLE sandboxes ADD COLUMN labels TEXT NOT NULL DEFAULT '{}';
      ALTER TABLE tokens ADD COLUMN bounds TEXT;
    `,
  },
  {
    version: 10,
    sql: `ALTER TABLE tokens ADD COLUMN limits TEXT NOT NULL DEFAULT '{"execs":null,"requestsPerMinute":null}';`,
  },
  { version: 11, sql: eventsSchema },
  {
    version: 12,
    sql: `
      CREATE TABLE process_places (
        place_group TEXT NOT NULL,
        exec_id TEXT NOT NULL REFERENCES execs (id) ON DELETE CASCADE,
        PRIMARY KEY (place_group, exec_id)
      ) STRICT;
      CREATE INDEX process_places_by_exec ON process_places (exec_id);
    `,
  },
  {
    version: 13,
    sql: `
      CREATE TABLE egress_rules (
        sandbox_id TEXT PRIMARY KEY REFERENCES sandboxes (id) ON DELETE CASCADE,
        revision INTEGER NOT NULL,
        configured TEXT NOT NULL,
        added TEXT NOT NULL
      ) STRICT;
    `,
  },
  {
    version: 14,
    sql: `
      ALTER TABLE egress_rules RENAME COLUMN added TO own;
      UPDATE egress_rules SET own = json_object('allow', json(own), 'deny', json_array(), 'once', json_array());
    `,
  },
  { version: 15, sql: recordsSchema },
  {
    // From here on a place ends with its process, so that those of a group are counted without a look at the execs.
    version: 16,
    sql: "DELETE FROM process_places WHERE exec_id IN (SELECT id FROM execs WHERE kind <> 'detached');",
  },
  { version: 17, sql: eventSharesSchema },
  { version: 18, sql: pagesSchema },
  { version: 19, sql: poolSchema },
  { version: 20, sql: historySchema },
  { version: 21, sql: samplesSchema },
];

/** 0: an empty database. `null`: tables without a version, so it is not Caisson's database, or it is damaged. */
export function versionOf(db: DatabaseSync): number | null {
  const tables = db.prepare(`SELECT count(*) AS n, sum(name = 'migrations') AS ours FROM sqlite_schema`).get();
  if (tables?.['n'] === 0) return 0;
  if (tables?.['ours'] !== 1) return null;
  const version = db.prepare('SELECT max(version) AS v FROM migrations').get()?.['v'];
  return typeof version === 'number' ? version : null;
}

export function newestVersion(known: readonly Migration[]): number {
  return known.at(-1)?.version ?? 0;
}

/** All missing steps in one transaction: a crash leaves the old version or the new one. */
export function migrate(db: DatabaseSync, known: readonly Migration[]): void {
  immediate(db, () => {
    const version = versionOf(db) ?? 0;
    db.exec('CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL) STRICT');
    const record = db.prepare('INSERT INTO migrations (version, applied_at) VALUES (?, ?)');
    for (const step of known.filter((each) => each.version > version)) {
      db.exec(step.sql);
      record.run(step.version, new Date().toISOString());
    }
  });
}

export function refuseNewer(path: string, version: number, known: readonly Migration[]): void {
  const newest = newestVersion(known);
  if (version <= newest) return;
  throw new CaissonError(
    'failed_precondition',
    `${path} was written by a newer Caisson: version ${version}, this one knows ${newest}`,
    {
      remedy: `use that newer version, or put back the copy that it kept beside the database (${path}.v${newest}-...)`,
      details: { path, version, known: newest },
    },
  );
}
