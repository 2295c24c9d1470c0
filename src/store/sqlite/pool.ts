/** Claims of members of the pool, and the other changes of their state: each compares and sets in one transaction. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Claim, type Pool, processLease } from '../pool.ts';
import type { SandboxRow } from '../sandboxes.ts';
import { forced, immediate } from './connection.ts';
import type { SandboxTable } from './sandboxes.ts';
import type { Table } from './table.ts';

export class PoolTable implements Table<Pool> {
  readonly #db: DatabaseSync;
  readonly #holder: string;
  readonly #sandboxes: SandboxTable;
  readonly #next: StatementSync;
  readonly #hold: StatementSync;
  readonly #unbind: StatementSync;

  constructor(db: DatabaseSync, holder: string, sandboxes: SandboxTable) {
    this.#db = db;
    this.#holder = holder;
    this.#sandboxes = sandboxes;
    this.#next = db.prepare(
      `SELECT id FROM sandboxes WHERE state = 'pooled' AND fingerprint = ?
       ORDER BY id IN (SELECT value FROM json_each(?)) DESC, created_at, id LIMIT 1`,
    );
    this.#hold = db.prepare('INSERT INTO leases (key, holder) VALUES (?, ?)');
    this.#unbind = db.prepare('DELETE FROM egress_rules WHERE sandbox_id = ?');
  }

  /** A claim that a power cut took back would offer a sandbox anew in which a command has run. */
  claim({ key, first, becomes, quota }: Claim): SandboxRow | null {
    const firstIds = JSON.stringify(first);
    if (this.#next.get(key, firstIds) === undefined) return null;
    const work = (): SandboxRow | null => {
      const id = this.#next.get(key, firstIds)?.['id'];
      if (typeof id !== 'string') return null;
      this.#sandboxes.claim(id, becomes, quota);
      this.#unbind.run(id);
      if (becomes.ephemeral) this.#hold.run(processLease(id), this.#holder);
      return this.#sandboxes.find(id);
    };
    return forced(this.#db, () => immediate(this.#db, work));
  }

  offer(id: string): boolean {
    return immediate(this.#db, () => {
      const row = this.#sandboxes.find(id);
      if (row?.state !== 'creating' || row.pool === null) return false;
      this.#sandboxes.update(id, { state: 'pooled' });
      return true;
    });
  }

  retire(id: string, by: string): boolean {
    const work = (): boolean => {
      if (this.#sandboxes.find(id)?.state !== 'pooled') return false;
      this.#sandboxes.update(id, { state: 'destroying', endedBy: by });
      return true;
    };
    return forced(this.#db, () => immediate(this.#db, work));
  }
}
