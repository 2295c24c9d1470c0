/** The table of rules that answers "always" made through a token. Statements are prepared on use. */
import type { DatabaseSync } from 'node:sqlite';
import type { SavedRule } from '../store.ts';
import { object, text, integer } from './shape.ts';

const shape = object<SavedRule>({ owner: text, rule: text, savedBy: text, savedAt: integer });

export class SavedRules {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  insert({ owner, rule, savedBy, savedAt }: SavedRule): void {
    const insert = this.#db.prepare(
      `INSERT INTO saved_rules (owner, rule, saved_by, saved_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (owner, rule) DO NOTHING`,
    );
    insert.run(owner, rule, savedBy, savedAt);
  }

  of(owner: string): readonly SavedRule[] {
    const sql =
      'SELECT owner, rule, saved_by AS savedBy, saved_at AS savedAt FROM saved_rules WHERE owner = ? ORDER BY rowid';
    return this.#db
      .prepare(sql)
      .all(owner)
      .map((row) => shape(row, 'saved rule'));
  }
}
