/** The table of tokens. Of the secret only its SHA-256 is kept. Statements are prepared on use: most processes see no token. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Bounds } from '../../values/caller.ts';
import type { Label } from '../../values/labels.ts';
import type { TokenRow, Tokens } from '../decisions.ts';
import { forced } from './connection.ts';
import type { Page } from '../pages.ts';
import type { Table } from './table.ts';
import { integer, json, list, nullable, object, text } from './shape.ts';

const bounds = object<Bounds>({
  task: nullable(text),
  label: nullable(object<Label>({ key: text, value: text })),
  images: nullable(list(text)),
  backends: nullable(list(text)),
});

const shape = object<TokenRow>({
  id: text,
  digest: text,
  owner: text,
  name: text,
  scopes: json(list(text)),
  bounds: nullable(json(bounds)),
  createdAt: integer,
  expiresAt: nullable(integer),
  limits: json(object({ execs: nullable(integer), requestsPerMinute: nullable(integer) })),
});

const columns = 'id, digest, owner, name, scopes, bounds, created_at AS createdAt, expires_at AS expiresAt, limits';

export class TokenTable implements Table<Tokens> {
  readonly #db: DatabaseSync;
  #find: StatementSync | null = null;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  insert({ id, digest, owner, name, scopes, bounds: bound, createdAt, expiresAt, limits }: TokenRow): void {
    const insert = this.#db.prepare(
      `INSERT INTO tokens (id, digest, owner, name, scopes, bounds, created_at, expires_at, limits)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const kept = bound === null ? null : JSON.stringify(bound);
    insert.run(id, digest, owner, name, JSON.stringify(scopes), kept, createdAt, expiresAt, JSON.stringify(limits));
  }

  byDigest(digest: string): TokenRow | null {
    this.#find ??= this.#db.prepare(`SELECT ${columns} FROM tokens WHERE digest = ?`);
    const row = this.#find.get(digest);
    return row === undefined ? null : shape(row, 'token');
  }

  list({ after = null, limit }: Page): readonly TokenRow[] {
    const sql = `SELECT ${columns} FROM tokens WHERE (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?`;
    const rows = this.#db.prepare(sql).all(after?.at ?? -1, after?.id ?? '', limit);
    return rows.map((row) => shape(row, 'token'));
  }

  /** What is taken back must not come back after a power cut. */
  delete(id: string): boolean {
    return forced(this.#db, () => this.#db.prepare('DELETE FROM tokens WHERE id = ?').run(id)).changes === 1;
  }
}
