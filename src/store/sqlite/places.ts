/**
 * Places are leases, and end with their holder; that of a detached process is a row, and stays until the process is known to
 * have ended.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Places } from '../places.ts';
import { immediate } from './connection.ts';
import type { LeaseTable } from './leases.ts';
import type { Table } from './table.ts';

export class PlaceTable implements Table<Places> {
  readonly #db: DatabaseSync;
  readonly #holder: string;
  readonly #leases: LeaseTable;

  constructor(db: DatabaseSync, holder: string, leases: LeaseTable) {
    this.#db = db;
    this.#holder = holder;
    this.#leases = leases;
  }

  take(group: string, place: string, max: number): boolean {
    return immediate(this.#db, () => {
      if (this.#taken(group) >= max) return false;
      const take = this.#db.prepare('INSERT INTO leases (key, holder) VALUES (?, ?)');
      take.run(keyOf(group, place), this.#holder);
      return true;
    });
  }

  give(group: string, place: string): void {
    const give = this.#db.prepare('DELETE FROM leases WHERE key = ? AND holder = ?');
    give.run(keyOf(group, place), this.#holder);
  }

  /** In one transaction, so that it is counted once at each moment. */
  keep(group: string, place: string, execId: string): void {
    immediate(this.#db, () => {
      const keep = this.#db.prepare(
        'INSERT INTO process_places (place_group, exec_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
      );
      keep.run(group, execId);
      this.give(group, place);
    });
  }

  kept(group: string): readonly string[] {
    const kept = this.#db.prepare('SELECT exec_id AS id FROM process_places WHERE place_group = ?');
    return kept.all(group).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  }

  giveKept(execIds: readonly string[], sandboxId: string | null = null): void {
    if (execIds.length === 0) return;
    const those = `FROM process_places WHERE exec_id IN
      (SELECT id FROM execs WHERE id IN (SELECT value FROM json_each(?)) AND sandbox_id = coalesce(?, sandbox_id))`;
    const values = [JSON.stringify(execIds), sandboxId] as const;
    if (this.#db.prepare(`SELECT 1 ${those} LIMIT 1`).get(...values) === undefined) return;
    this.#db.prepare(`DELETE ${those}`).run(...values);
  }

  #taken(group: string): number {
    const count = this.#db.prepare(
      'SELECT holder, count(*) AS n FROM leases WHERE key >= ? AND key < ? GROUP BY holder',
    );
    // ";" follows ":" in the order of bytes.
    const rows = count.all(keyOf(group, ''), `place:${group};`);
    const alive = rows.filter(({ holder }) => typeof holder === 'string' && this.#leases.isAlive(holder));
    const kept = this.#db.prepare('SELECT count(*) AS n FROM process_places WHERE place_group = ?').get(group);
    return alive.reduce((sum, { n }) => sum + Number(n), Number(kept?.['n']));
  }
}

const keyOf = (group: string, place: string): string => `place:${group}:${place}`;
