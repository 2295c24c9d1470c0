/** The table of sandboxes. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { CaissonError } from '../../errors.ts';
import type { Sandboxes, SandboxPatch, SandboxQuery, SandboxRow } from '../sandboxes.ts';
import { ownerOf } from '../../values/owner.ts';
import type { Claim } from '../pool.ts';
import { type Quota, refuseBeyond } from '../quota.ts';
import { forced, immediate, within } from './connection.ts';
import { isTaken } from './errors.ts';
import { type EventTable, eventOf } from './events.ts';
import type { Table } from './table.ts';
import { assignments, readRow } from './row.ts';
import { walkOf } from './sandbox-list.ts';
import { nullable, object, text } from './shape.ts';

const maxKnown = 1_000;

/** What an event has of a row, also of one that is damaged otherwise. */
interface Brief extends Pick<SandboxRow, 'id' | 'taskId' | 'backend' | 'endedBy'> {
  readonly state: string;
}
const briefShape = object<Brief>({ id: text, taskId: text, backend: text, state: text, endedBy: nullable(text) });

/** `quota`: what its row has to stay within. */
interface CheckedPatch {
  readonly patch: SandboxPatch;
  readonly quota: Quota | null;
}

export class SandboxTable implements Table<Sandboxes> {
  readonly #db: DatabaseSync;
  readonly #events: EventTable;
  /** Patches and pages come in a handful of forms, each with its own statement. */
  readonly #statements = new Map<string, StatementSync>();
  readonly #byId: StatementSync;
  readonly #byTask: StatementSync;
  readonly #ofOwner: StatementSync;
  readonly #delete: StatementSync;
  readonly #version: StatementSync;
  readonly #brief: StatementSync;
  /** Rows by task, until the next write: every command asks for its row twice. */
  readonly #known = new Map<string, SandboxRow | null>();
  #knownAt: unknown = null;
  #isFresh = false;

  constructor(db: DatabaseSync, events: EventTable) {
    this.#db = db;
    this.#events = events;
    this.#byId = db.prepare('SELECT * FROM sandboxes WHERE id = ?');
    this.#byTask = db.prepare('SELECT * FROM sandboxes WHERE task_id = ?');
    this.#ofOwner = db.prepare('SELECT * FROM sandboxes INDEXED BY sandboxes_by_owner WHERE owner = ?');
    this.#delete = db.prepare('DELETE FROM sandboxes WHERE id = ?');
    this.#brief = db.prepare(
      'SELECT id, task_id AS taskId, backend, state, ended_by AS endedBy FROM sandboxes WHERE id = ?',
    );
    this.#version = db.prepare('PRAGMA data_version');
  }

  insert(row: SandboxRow, quota: Quota | null = null): void {
    this.#known.clear();
    const set = assignments(row);
    const sql = `INSERT INTO sandboxes (${set.map(({ column }) => column).join(', ')}) VALUES (${set.map(() => '?').join(', ')})`;
    try {
      const work = (): void => {
        if (quota !== null) this.#refuseBeyond(row, quota);
        this.#db.prepare(sql).run(...set.map(({ value }) => value));
        this.#changed(row, null, row.state);
      };
      forced(this.#db, () => immediate(this.#db, work));
    } catch (error) {
      if (isTaken(error)) throw sandboxTakenError(row, error);
      throw error;
    }
  }

  update(id: string, patch: SandboxPatch, quota: Quota | null = null): void {
    this.#known.clear();
    const set = assignments(patch);
    const clause = set.length === 0 ? 'id = id' : set.map(({ column }) => `${column} = ?`).join(', ');
    const run = (): void => {
      const { changes } = this.#prepared(`UPDATE sandboxes SET ${clause} WHERE id = ?`).run(
        ...set.map(({ value }) => value),
        id,
      );
      if (changes === 0) throw new CaissonError('not_found', `no sandbox ${id}`, { details: { sandboxId: id } });
    };
    const isBare = patch.state === undefined && quota === null;
    const work = isBare ? run : () => this.#updateWhole(id, run, { patch, quota });
    // Who has begun a transaction has had it forced.
    if (isIntent(patch) && !this.#db.isTransaction) forced(this.#db, work);
    else work();
  }

  /** Makes a member of the pool the sandbox of a task, in the transaction that goes on. */
  claim(id: string, becomes: Claim['becomes'], quota: Quota | null): void {
    this.#known.clear();
    const before = this.find(id);
    if (before === null) throw new CaissonError('not_found', `no sandbox ${id}`, { details: { sandboxId: id } });
    const row = { ...before, ...becomes };
    if (quota !== null) this.#refuseBeyond(row, quota);
    try {
      this.update(id, becomes);
    } catch (error) {
      if (isTaken(error)) throw sandboxTakenError(row, error);
      throw error;
    }
  }

  /** What only notes a use, as most updates do, takes no transaction of its own. */
  #updateWhole(id: string, run: () => void, { patch, quota }: CheckedPatch): void {
    within(this.#db, () => {
      const row = quota === null ? null : this.find(id);
      if (row !== null && quota !== null) this.#refuseBeyond({ ...row, ...patch }, quota);
      const before = this.#briefly(id)?.state ?? null;
      run();
      const after = this.#briefly(id);
      if (after !== null && after.state !== before) this.#changed(after, before, after.state);
    });
  }

  delete(id: string): void {
    this.#known.clear();
    within(this.#db, () => {
      const row = this.#briefly(id);
      this.#delete.run(id);
      if (row !== null) this.#changed(row, row.state, 'removed');
    });
  }

  #refuseBeyond(row: SandboxRow, quota: Quota): void {
    const owned = this.#ofOwner.all(ownerOf(row.taskId)).map(readRow);
    refuseBeyond(row, owned, quota);
  }

  #briefly(id: string): Brief | null {
    const row = this.#brief.get(id);
    return row === undefined ? null : briefShape(row, 'sandbox');
  }

  #changed({ id, taskId, backend, endedBy }: Omit<Brief, 'state'>, from: string | null, to: string): void {
    const data = { sandboxId: id, taskId, backend, from, to, by: endedBy };
    this.#events.add(eventOf('sandbox.state', taskId, data));
  }

  find(id: string): SandboxRow | null {
    return readOne(this.#byId, id);
  }

  ofTask(taskId: string): SandboxRow | null {
    this.#forgetOld();
    const known = this.#known.get(taskId);
    if (known !== undefined) return known;
    const row = readOne(this.#byTask, taskId);
    this.#known.set(taskId, row);
    return row;
  }

  list(query: SandboxQuery): readonly SandboxRow[] {
    const { sql, values } = walkOf(query);
    return this.#prepared(sql)
      .all(...values)
      .map(readRow);
  }

  /**
   * `data_version` changes with every commit of another connection, and costs a look at shared memory
   * (sqlite.org/pragma.html). Once a turn is enough: what is committed after that is committed after this turn.
   */
  #forgetOld(): void {
    if (this.#isFresh) return;
    this.#isFresh = true;
    setImmediate(() => (this.#isFresh = false));
    const version = this.#version.get()?.['data_version'];
    if (version === this.#knownAt && this.#known.size < maxKnown) return;
    this.#known.clear();
    this.#knownAt = version;
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}

/** What follows it makes a resource or takes files away, and must be found begun. */
function isIntent({ state, directory }: SandboxPatch): boolean {
  return state === 'creating' || (state === 'destroying' && directory !== undefined);
}

function readOne(statement: StatementSync, key: string): SandboxRow | null {
  const row = statement.get(key);
  return row === undefined ? null : readRow(row);
}

function sandboxTakenError(row: SandboxRow, cause: unknown): CaissonError {
  const { id, taskId, name } = row;
  return new CaissonError(
    'already_exists',
    `task ${taskId} has a sandbox already, or the id ${id} or the name ${name} is taken`,
    {
      cause,
      details: { sandboxId: id, taskId, name },
    },
  );
}
