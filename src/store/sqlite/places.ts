/**
 * Places are leases, and end with their holder; that of a detached process is a row, and stays until the process is known to
 * have ended.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../lib/clock.ts';
import type { Places } from '../places.ts';
import { immediate } from './connection.ts';
import type { Leases } from './leases.ts';
import { failed } from './soundness.ts';

interface Holders {
  readonly self: string;
  readonly leases: Leases;
  readonly clock: Clock;
}

export class SqlitePlaces implements Places {
  readonly #db: DatabaseSync;
  readonly #holders: Holders;

  constructor(db: DatabaseSync, holders: Holders) {
    this.#db = db;
    this.#holders = holders;
  }

  async take(group: string, place: string, most: number): Promise<boolean> {
    return this.#do(`take a place of ${group}`, () => {
      if (this.#taken(group) >= most) return false;
      const take = this.#db.prepare('INSERT INTO leases (key, holder) VALUES (?, ?)');
      take.run(keyOf(group, place), this.#holders.self);
      return true;
    });
  }

  async give(group: string, place: string): Promise<void> {
    this.#do(`give back a place of ${group}`, () => this.#give(group, place));
  }

  /** In one transaction, so that it is counted once at each moment. */
  async keep(group: string, place: string, execId: string): Promise<void> {
    this.#do(`keep a place of ${group}`, () => {
      const keep = this.#db.prepare(
        'INSERT INTO process_places (place_group, exec_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
      );
      keep.run(group, execId);
      this.#give(group, place);
    });
  }

  async kept(group: string): Promise<readonly string[]> {
    return this.#do(`read the places of ${group}`, () => this.#kept(group));
  }

  async giveKept(execIds: readonly string[], sandboxId: string | null = null): Promise<void> {
    if (execIds.length === 0) return;
    const those = `FROM process_places WHERE exec_id IN
      (SELECT id FROM execs WHERE id IN (SELECT value FROM json_each(?)) AND sandbox_id = coalesce(?, sandbox_id))`;
    const values = [JSON.stringify(execIds), sandboxId] as const;
    const what = 'give back the places of processes';
    try {
      if (this.#db.prepare(`SELECT 1 ${those} LIMIT 1`).get(...values) === undefined) return;
    } catch (error) {
      throw failed(this.#db, error, what);
    }
    this.#do(what, () => this.#db.prepare(`DELETE ${those}`).run(...values));
  }

  #do<T>(what: string, work: () => T): T {
    try {
      return immediate(this.#db, work);
    } catch (error) {
      throw failed(this.#db, error, what);
    }
  }

  #give(group: string, place: string): void {
    const give = this.#db.prepare('DELETE FROM leases WHERE key = ? AND holder = ?');
    give.run(keyOf(group, place), this.#holders.self);
  }

  #kept(group: string): readonly string[] {
    const kept = this.#db.prepare('SELECT exec_id AS id FROM process_places WHERE place_group = ?');
    return kept.all(group).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  }

  #taken(group: string): number {
    const { leases, clock } = this.#holders;
    const count = this.#db.prepare(
      'SELECT holder, count(*) AS n FROM leases WHERE key >= ? AND key < ? GROUP BY holder',
    );
    // ";" follows ":" in the order of bytes.
    const rows = count.all(keyOf(group, ''), `place:${group};`);
    const alive = rows.filter(({ holder }) => typeof holder === 'string' && leases.isHolderAlive(holder, clock));
    const kept = this.#db.prepare('SELECT count(*) AS n FROM process_places WHERE place_group = ?').get(group);
    return alive.reduce((sum, { n }) => sum + Number(n), Number(kept?.['n']));
  }
}

const keyOf = (group: string, place: string): string => `place:${group}:${place}`;
