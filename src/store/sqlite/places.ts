/**
 * Places of which there are only so many, such as those for running commands. They are leases, and end with their holder; that of
 * a detached process is a row, and stays until the process is known to have ended.
 */
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

  /** In one transaction, so that it is counted once at each moment. */
  keep({ group, place, execId }: { readonly group: string; readonly place: string; readonly execId: string }): void {
    immediate(this.#db, () => {
      const keep = this.#db.prepare(
        'INSERT INTO process_places (place_group, exec_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
      );
      keep.run(group, execId);
      this.give(group, place);
    });
  }

  /** Exec ids. One that was retired has ended. */
  kept(group: string): readonly string[] {
    const kept = this.#db.prepare(
      `SELECT p.exec_id AS id FROM process_places p JOIN execs e ON e.id = p.exec_id
       WHERE p.place_group = ? AND e.kind = 'detached'`,
    );
    return kept.all(group).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  }

  giveKept(execId: string): void {
    this.#db.prepare('DELETE FROM process_places WHERE exec_id = ?').run(execId);
  }

  #taken(group: string, clock: Clock): number {
    const count = this.#db.prepare(
      'SELECT holder, count(*) AS n FROM leases WHERE key >= ? AND key < ? GROUP BY holder',
    );
    // ";" follows ":" in the order of bytes.
    const rows = count.all(keyOf(group, ''), `place:${group};`);
    const alive = rows.filter(({ holder }) => typeof holder === 'string' && this.#leases.isOwnerAlive(holder, clock));
    return alive.reduce((sum, { n }) => sum + Number(n), this.kept(group).length);
  }
}

const keyOf = (group: string, place: string): string => `place:${group}:${place}`;
