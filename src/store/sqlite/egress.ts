/** The table of egress rules. Statements are prepared on use. */
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { CaissonError } from '../../errors.ts';
import {
  changedRules,
  type EgressLists,
  type EgressRow,
  type EgressRules,
  noOwnRules,
  type OwnChange,
  type OwnRules,
  type Settled,
  settledReading,
} from '../egress.ts';
import { immediate } from './connection.ts';
import type { Table } from './table.ts';

export class EgressTable implements Table<EgressRules> {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  configure(...given: Parameters<EgressRules['configure']>): Settled {
    return immediate(this.#db, () => this.#settle(...given));
  }

  #settle(...[sandboxId, reading, isCurrent]: Parameters<EgressRules['configure']>) {
    const before = this.of(sandboxId);
    const { lists: configured, source } = settledReading(before, reading, before === null || isCurrent());
    const isSame = before !== null && isDeepStrictEqual(before.configured, configured);
    const revision = (before?.revision ?? 0) + (isSame ? 0 : 1);
    const row: EgressRow = { sandboxId, revision, configured, source, own: before?.own ?? noOwnRules };
    if (!isDeepStrictEqual(row, before)) this.#write(row);
    return { row, before };
  }

  change(sandboxId: string, change: OwnChange): Settled | null {
    const work = (): Settled | null => {
      const before = this.of(sandboxId);
      if (before === null) return null;
      const own = changedRules(before.own, change);
      if (isDeepStrictEqual(own, before.own)) return { row: before, before };
      const row = { ...before, own, revision: before.revision + 1 };
      this.#write(row);
      return { row, before };
    };
    return immediate(this.#db, work);
  }

  of(sandboxId: string): EgressRow | null {
    const select = this.#db.prepare('SELECT revision, configured, own FROM egress_rules WHERE sandbox_id = ?');
    const row = select.get(sandboxId);
    return row === undefined ? null : rowOf(sandboxId, row);
  }

  #write({ sandboxId, revision, configured, source, own }: EgressRow): void {
    const write = this.#db.prepare(
      `INSERT INTO egress_rules (sandbox_id, revision, configured, own) VALUES (?, ?, ?, ?)
       ON CONFLICT (sandbox_id) DO UPDATE SET
         revision = excluded.revision, configured = excluded.configured, own = excluded.own`,
    );
    write.run(sandboxId, revision, JSON.stringify({ ...configured, source }), JSON.stringify(own));
  }
}

/** A row that cannot be read allows nothing. */
function rowOf(sandboxId: string, row: Readonly<Record<string, unknown>>): EgressRow {
  const { revision } = row;
  const [written, own] = [parsed(row['configured']), parsed(row['own'])];
  if (typeof revision === 'number' && isLists(written) && isOwn(own)) {
    const { allow, deny, ports, presets, source = '' } = written;
    return { sandboxId, revision, configured: { allow, deny, ports, presets }, source, own };
  }
  throw new CaissonError('internal', `the egress rules of ${sandboxId} cannot be read`);
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

/** The column holds the lists and their source. */
type Written = EgressLists & { readonly source?: string };

function isLists(value: unknown): value is Written {
  const of = (name: keyof Written): unknown => fieldOf(value, name);
  if (!['string', 'undefined'].includes(typeof of('source'))) return false;
  const ports = of('ports');
  const isPorts = Array.isArray(ports) && ports.every((port) => typeof port === 'number');
  return isTexts(of('allow')) && isTexts(of('deny')) && isTexts(of('presets')) && isPorts;
}

function isOwn(value: unknown): value is OwnRules {
  const of = (name: keyof OwnRules): unknown => fieldOf(value, name);
  const once = of('once');
  const isOnce = (each: unknown): boolean => {
    return typeof fieldOf(each, 'host') === 'string' && typeof fieldOf(each, 'at') === 'number';
  };
  return isTexts(of('allow')) && isTexts(of('deny')) && Array.isArray(once) && once.every(isOnce);
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
