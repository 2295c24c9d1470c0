/** Places of which there are only so many, such as those for running commands. They are leases, and end with their owner. */
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../lib/clock.ts';
import { immediate } from './connection.ts';
import type { Leases } from './leases.ts';

export class Places {
  readonly #db: DatabaseSync;
  readonly #owner: string;
  readonly #leases: Leases;

  constructor(db: DatabaseSync, owner: string, leases: Leases) {
    this.#db = db;
    this.#owner = owner;
    this.#leases = leases;
  }

  take(
    { group, place, most }: { readonly group: string; readonly place: string; readonly most: number },
    clock: Clock,
  ) {
    return immediate(this.#db, () => {
      if (this.#taken(group, clock) >= most) return false;
      const take = this.#db.prepare('INSERT INTO leases (key, holder) VALUES (?, ?)');
      take.run(keyOf(group, place), this.#owner);
      return true;
    });
  }

  give(group: string, place: string): void {
    this.#db.prepare('DELETE FROM leases WHERE key = ? AND holder = ?').run(keyOf(group, place), this.#owner);
  }

  #taken(group: string, clock: Clock): number {
    const count = this.#db.prepare('SELECT holder, count(*) AS n FROM leases WHERE key >= ? AND key < ? GROUP BY holder');
    // ";" follows ":" in the order of bytes.
    const rows = count.all(keyOf(group, ''), `place:${group};`);
    const alive = rows.filter(({ holder }) => typeof holder === 'string' && this.#leases.isOwnerAlive(holder, clock));
    return alive.reduce((sum, { n }) => sum + Number(n), 0);
  }
}

const keyOf = (group: string, place: string): string => `place:${group}:${place}`;
