/** Uses of sandboxes, which are leases, and the one decision between a use and a stop. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import type { SandboxRow, StopIntent, Uses } from '../sandboxes.ts';
import { immediate } from './connection.ts';
import type { LeaseTable } from './leases.ts';
import type { Table } from './table.ts';
import type { SandboxTable } from './sandboxes.ts';

export class UseTable implements Table<Uses> {
  readonly #db: DatabaseSync;
  readonly #holder: string;
  readonly #sandboxes: SandboxTable;
  readonly #leases: LeaseTable;
  readonly #take: StatementSync;
  readonly #give: StatementSync;
  readonly #holders: StatementSync;

  constructor(
    db: DatabaseSync,
    holder: string,
    tables: { readonly sandboxes: SandboxTable; readonly leases: LeaseTable },
  ) {
    this.#db = db;
    this.#holder = holder;
    this.#sandboxes = tables.sandboxes;
    this.#leases = tables.leases;
    this.#take = db.prepare('INSERT INTO leases (key, holder) VALUES (?, ?) ON CONFLICT (key) DO NOTHING');
    this.#give = db.prepare('DELETE FROM leases WHERE key = ?');
    this.#holders = db.prepare('SELECT DISTINCT holder FROM leases WHERE key >= ? AND key < ?');
  }

  begin(id: string, generation: number): boolean {
    return immediate(this.#db, () => {
      const row = this.#sandboxes.find(id);
      if (row?.state !== 'ready' || row.generation !== generation) return false;
      this.#take.run(this.#key(id, generation), this.#holder);
      return true;
    });
  }

  end(id: string, generation: number): void {
    this.#give.run(this.#key(id, generation));
  }

  beginStop(id: string, { generation, by, idle }: StopIntent): boolean {
    return immediate(this.#db, () => {
      const row = this.#sandboxes.find(id);
      if (row === null || row.generation !== generation || !canStop(row)) return false;
      if (idle !== undefined && (!isStillIdle(row, idle) || this.#isUsed(id))) return false;
      this.#sandboxes.update(id, { state: 'stopping', endedBy: by });
      return true;
    });
  }

  #isUsed(id: string): boolean {
    // ";" follows ":" in the order of bytes.
    const rows = this.#holders.all(`use:${id}:`, `use:${id};`);
    return rows.some(({ holder }) => typeof holder === 'string' && this.#leases.isAlive(holder));
  }

  #key(id: string, generation: number): string {
    return `use:${id}:${generation}:${this.#holder}`;
  }
}

function isStillIdle(row: SandboxRow, { usedAt, usedBoot, idleMs }: NonNullable<StopIntent['idle']>): boolean {
  const isUnused = row.usedAt === usedAt && isDeepStrictEqual(row.usedBoot, usedBoot);
  return row.state === 'ready' && isUnused && row.idleMs === idleMs;
}

function canStop({ state }: SandboxRow): boolean {
  return state === 'ready' || state === 'stopping' || state === 'stopped';
}
