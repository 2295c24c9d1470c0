/** The table of egress rules. Statements are prepared on use. */
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { CaissonError } from '../../errors.ts';
import type { EgressLists, EgressRow, EgressRules } from '../egress.ts';
import { immediate } from './connection.ts';
import { storeError } from './errors.ts';

const nothing = (sandboxId: string, configured: EgressLists): EgressRow => ({
  sandboxId,
  revision: 1,
  configured,
  added: [],
});

export class SqliteEgressRules implements EgressRules {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  async of(sandboxId: string): Promise<EgressRow | null> {
    return this.#do(`read the egress rules of ${sandboxId}`, () => this.#of(sandboxId));
  }

  async configure(sandboxId: string, configured: EgressLists): Promise<EgressRow> {
    return this.#do(`write the egress rules of ${sandboxId}`, () => {
      const before = this.#of(sandboxId);
      if (before !== null && isDeepStrictEqual(before.configured, configured)) return before;
      const row =
        before === null ? nothing(sandboxId, configured) : { ...before, configured, revision: before.revision + 1 };
      this.#write(row);
      return row;
    });
  }

  #of(sandboxId: string): EgressRow | null {
    const select = this.#db.prepare('SELECT revision, configured, added FROM egress_rules WHERE sandbox_id = ?');
    const row = select.get(sandboxId);
    return row === undefined ? null : rowOf(sandboxId, row);
  }

  #write({ sandboxId, revision, configured, added }: EgressRow): void {
    const write = this.#db.prepare(
      `INSERT INTO egress_rules (sandbox_id, revision, configured, added) VALUES (?, ?, ?, ?)
       ON CONFLICT (sandbox_id) DO UPDATE SET
         revision = excluded.revision, configured = excluded.configured, added = excluded.added`,
    );
    write.run(sandboxId, revision, JSON.stringify(configured), JSON.stringify(added));
  }

  #do<T>(what: string, work: () => T): T {
    try {
      return immediate(this.#db, work);
    } catch (error) {
      throw storeError(error, what);
    }
  }
}

/** A row that cannot be read allows nothing. */
function rowOf(sandboxId: string, row: Readonly<Record<string, unknown>>): EgressRow {
  const { revision } = row;
  const [configured, added] = [parsed(row['configured']), parsed(row['added'])];
  if (typeof revision === 'number' && isLists(configured) && isTexts(added))
    return { sandboxId, revision, configured, added };
  throw new CaissonError('internal', `the egress rules of ${sandboxId} cannot be read`);
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

function isLists(value: unknown): value is EgressLists {
  const of = (name: keyof EgressLists): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  const ports = of('ports');
  const isPorts = Array.isArray(ports) && ports.every((port) => typeof port === 'number');
  return isTexts(of('allow')) && isTexts(of('deny')) && isTexts(of('presets')) && isPorts;
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
