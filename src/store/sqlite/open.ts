/** Opens the SQLite store: the one function of this folder that others call. */
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { storeError } from './errors.ts';
import { maxEvents as defaultMaxEvents } from './events.ts';
import { newId } from './id.ts';
import { instanceOf } from './instance.ts';
import { type Migration, migrations } from './migrations.ts';
import type { Notice } from './notice.ts';
import { thisProcess } from '../../lib/holder.ts';
import { prepare, type Prepared } from './prepare.ts';
import { type SqliteStore, storeOver } from './store.ts';

export interface OpenOptions {
  /** Steps to bring the database to; those of this release by default. */
  readonly migrations?: readonly Migration[];
  /** How long to wait for other processes, when the database must be migrated or set aside. 10 s by default. */
  readonly timeoutMs?: number;
  /** That of the system by default. */
  readonly clock?: Clock;
  /** How many events are kept at least. 50,000 by default. */
  readonly maxEvents?: number;
}

/**
 * `path` is the database file; its directory is made with mode 0700, and holds the file `instance` beside it.
 *
 * A damaged database is renamed with its journals, kept, and replaced by a new one: `notices` says so. An older one is
 * copied and migrated. Throws `failed_precondition` for a newer one, and when a repair is needed that other processes
 * stand in the way of; `resource_exhausted` on a full disk.
 */
export async function openStore(
  path: string,
  options: OpenOptions = {},
): Promise<{ readonly store: SqliteStore; readonly notices: readonly Notice[] }> {
  try {
    const { clock = systemClock, maxEvents = defaultMaxEvents, ...how } = options;
    const prepared = prepare(path, { migrations, timeoutMs: 10_000, clock, ...how });
    const store = assemble(path, prepared, { clock, maxEvents });
    return { store, notices: store.notices };
  } catch (error) {
    throw storeError(error, `open the store ${path}`);
  }
}

type Assembly = Required<Pick<OpenOptions, 'clock' | 'maxEvents'>>;

function assemble(path: string, { db, lock, notices }: Prepared, { clock, maxEvents }: Assembly): SqliteStore {
  try {
    const instance = instanceOf(join(dirname(path), 'instance'), db);
    const self = thisProcess(`own_${newId(16)}`, clock);
    return storeOver({
      db,
      lock,
      instance: instance.id,
      self,
      clock,
      maxEvents,
      notices: [...notices, ...instance.notices],
    });
  } catch (error) {
    db.close();
    lock.release();
    throw error;
  }
}
