/** Leases and their holders. Every function is one short transaction. */
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Holder, Leases } from '../leases.ts';
import { immediate } from './connection.ts';
import type { Clock } from '../../lib/clock.ts';
import { type HolderRow, isAlive } from '../../lib/holder.ts';
import type { Table } from './table.ts';
import { integer, nullable, object, text } from './shape.ts';

const rowShape = object<HolderRow>({
  id: text,
  host: text,
  machine: nullable(text),
  pid: nullable(integer),
  startTime: nullable(text),
  heartbeatAt: integer,
  heartbeatBootMs: nullable(integer),
});

const rowColumns =
  'o.id, o.host, o.machine, o.pid, o.start_time AS startTime, o.heartbeat_at AS heartbeatAt, o.heartbeat_boot_ms AS heartbeatBootMs';

/** In the table `meta`: a holder died since the execs of the dead were looked at. */
export const deathKey = 'holder_died';

export class LeaseTable implements Table<Leases> {
  readonly #db: DatabaseSync;
  readonly #self: HolderRow;
  readonly #clock: Clock;
  readonly #register: StatementSync;
  readonly #byId: StatementSync;
  readonly #forget: StatementSync;
  readonly #holder: StatementSync;
  readonly #take: StatementSync;
  readonly #give: StatementSync;

  constructor(db: DatabaseSync, self: HolderRow, clock: Clock) {
    this.#db = db;
    this.#self = self;
    this.#clock = clock;
    this.#register = db.prepare(
      `INSERT INTO holders (id, host, machine, pid, start_time, heartbeat_at, heartbeat_boot_ms) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at, heartbeat_boot_ms = excluded.heartbeat_boot_ms`,
    );
    this.#byId = db.prepare(`SELECT ${rowColumns} FROM holders o WHERE o.id = ?`);
    this.#forget = db.prepare('DELETE FROM holders WHERE id = ?');
    this.#holder = db.prepare(`SELECT ${rowColumns} FROM leases l JOIN holders o ON o.id = l.holder WHERE l.key = ?`);
    this.#take = db.prepare('INSERT INTO leases (key, holder) VALUES (?, ?)');
    this.#give = db.prepare('DELETE FROM leases WHERE key = ? AND holder = ?');
  }

  /** Also puts the holder back, should another host have taken us for dead while this one slept. */
  beat(): void {
    const { id, host, machine, pid, startTime } = this.#self;
    this.#register.run(id, host, machine, pid, startTime, this.#clock.wallMs(), this.#clock.bootMs());
  }

  /** Removes dead holders; their leases go with them. */
  sweep(): void {
    immediate(this.#db, () => {
      for (const holder of holdersIn(this.#db)) {
        if (holder.id !== this.#self.id && !isAlive(holder, this.#clock)) this.#bury(holder);
      }
    });
  }

  acquire(key: string): boolean {
    return immediate(this.#db, () => {
      const holder = this.#read(key);
      if (holder !== null) {
        if (holder.id === this.#self.id || isAlive(holder, this.#clock)) return false;
        this.#bury(holder);
      }
      this.#take.run(key, this.#self.id);
      return true;
    });
  }

  #bury({ id }: HolderRow): void {
    this.#forget.run(id);
    this.#db.prepare("INSERT INTO meta (key, value) VALUES (?, '1') ON CONFLICT (key) DO NOTHING").run(deathKey);
  }

  release(key: string): void {
    this.#give.run(key, this.#self.id);
  }

  holder(key: string): Holder | null {
    const holder = this.#read(key);
    return holder === null
      ? null
      : {
          id: holder.id,
          pid: holder.pid,
          host: holder.host,
          alive: holder.id === this.#self.id || isAlive(holder, this.#clock),
        };
  }

  isAlive(id: string): boolean {
    if (id === this.#self.id) return true;
    const row = this.#byId.get(id);
    return row !== undefined && isAlive(readRow(row), this.#clock);
  }

  leave(): void {
    this.#forget.run(this.#self.id);
  }

  #read(key: string): HolderRow | null {
    const row = this.#holder.get(key);
    return row === undefined ? null : readRow(row);
  }
}

/** All that are on record, dead or alive. */
export function holdersIn(db: DatabaseSync): readonly HolderRow[] {
  return db.prepare(`SELECT ${rowColumns} FROM holders o`).all().map(readRow);
}

function readRow(row: Record<string, SQLOutputValue>): HolderRow {
  return rowShape(row, 'holder');
}
