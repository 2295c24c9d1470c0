/** Uses of sandboxes, which are leases, and the one decision between a use and a stop. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Clock } from '../../lib/clock.ts';
import type { SandboxRow, StopIntent } from '../store.ts';
import { immediate } from './connection.ts';
import type { Leases } from './leases.ts';
import type { Sandboxes } from './sandboxes.ts';

export class Uses {
  readonly #db: DatabaseSync;
  readonly #holder: string;
  readonly #sandboxes: Sandboxes;
  readonly #leases: Leases;
  readonly #take: StatementSync;
  readonly #give: StatementSync;
  readonly #holders: StatementSync;

  constructor(db: DatabaseSync, holder: string, parts: { readonly sandboxes: Sandboxes; readonly leases: Leases }) {
    this.#db = db;
    this.#holder = holder;
    this.#sandboxes = parts.sandboxes;
    this.#leases = parts.leases;
    this.#take = db.prepare('INSERT INTO leases (key, holder) VALUES (?, ?) ON CONFLICT (key) DO NOTHING');
    this.#give = db.prepare('DELETE FROM leases WHERE key = ?');
    this.#holders = db.prepare('SELECT DISTINCT holder FROM leases WHERE key >= ? AND key < ?');
  }

  begin(id: string, generation: number): boolean {
    return immediate(this.#db, () => {
      const row = this.#sandboxes.byId(id);
      if (row?.state !== 'ready' || row.generation !== generation) return false;
      this.#take.run(this.#key(id, generation), this.#holder);
      return true;
    });
  }

  end(id: string, generation: number): void {
    this.#give.run(this.#key(id, generation));
  }

  beginStop(id: string, { generation, by, ifIdle }: StopIntent, clock: Clock): boolean {
    return immediate(this.#db, () => {
      const row = this.#sandboxes.byId(id);
      if (row === null || row.generation !== generation || !canStop(row)) return false;
      if (ifIdle !== undefined && (row.state !== 'ready' || !ifIdle(row) || this.#isUsed(id, clock))) return false;
      this.#sandboxes.update(id, { state: 'stopping', endedBy: by });
      return true;
    });
  }

  #isUsed(id: string, clock: Clock): boolean {
    // ";" follows ":" in the order of bytes.
    const rows = this.#holders.all(`use:${id}:`, `use:${id};`);
    return rows.some(({ holder }) => typeof holder === 'string' && this.#leases.isHolderAlive(holder, clock));
  }

  #key(id: string, generation: number): string {
    return `use:${id}:${generation}:${this.#holder}`;
  }
}

function canStop({ state }: SandboxRow): boolean {
  return state === 'ready' || state === 'stopping' || state === 'stopped';
}
