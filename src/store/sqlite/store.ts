/** The store of one host: a SQLite file that several processes share. */
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../lib/clock.ts';
import { heartbeatMs, type HolderRow } from '../../lib/holder.ts';
import type { Store } from '../store.ts';
import { copyDatabase } from './copy.ts';
import { storeError } from './errors.ts';
import { figuresOf } from './figures.ts';
import type { Lock } from '../file-lock.ts';
import type { Notice } from './notice.ts';
import { attempt } from './noun.ts';
import { nounsOf } from './nouns.ts';
import { steadyNow } from './steady.ts';
import { type Tables, tablesOf } from './tables.ts';

export interface SqliteStore extends Store {
  readonly notices: readonly Notice[];
}

export interface OpenDatabase {
  readonly db: DatabaseSync;
  readonly lock: Lock;
  readonly instance: string;
  readonly self: HolderRow;
  readonly notices: readonly Notice[];
  readonly clock: Clock;
  readonly maxEvents: number;
}

export function storeOver(open: OpenDatabase): SqliteStore {
  const { db, clock, instance, self, notices } = open;
  const tables = tablesOf(db, open);
  tables.leases.beat();
  tables.leases.sweep();
  const heartbeat = setInterval(() => beat(tables), heartbeatMs).unref();
  return {
    instance,
    holderId: self.id,
    notices,
    ...nounsOf(db, tables),
    steadyNow: () =>
      attempt(
        db,
        () => 'read the clock of the store',
        () => steadyNow(db, clock),
      ),
    figures: async () =>
      attempt(
        db,
        () => 'count what there is',
        () => figuresOf(db),
      ),
    copyTo: async (path) => {
      attempt(
        db,
        () => 'write what waits',
        () => tables.execs.flush(),
      );
      await copyDatabase(db, path).catch((error: unknown) => {
        throw storeError(error, `copy the database to ${path}`);
      });
    },
    close: async () => {
      clearInterval(heartbeat);
      if (db.isOpen) close(open, tables);
    },
  };
}

function close({ db, lock }: OpenDatabase, tables: Tables): void {
  tables.execs.flush();
  try {
    tables.leases.leave();
  } catch {
    // The disk may be full. Our leases then end with this process, which the next holder sees for itself.
  }
  db.close();
  lock.release();
}

function beat({ leases }: Tables): void {
  try {
    leases.beat();
  } catch {
    // A full disk or a busy database. The next beat comes in seconds; on this host our process id proves us alive.
  }
}
