/** The table of rules that answers "always" made through a token. Statements are prepared on use. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { CaissonError } from '../../errors.ts';
import { maxSavedRules, type SavedRule, type SavedRules } from '../decisions.ts';
import type { Table } from './table.ts';
import { object, text, integer } from './shape.ts';

const shape = object<SavedRule>({ owner: text, rule: text, savedBy: text, savedAt: integer });
const maxKnown = 1_000;

export class SavedRuleTable implements Table<SavedRules> {
  readonly #db: DatabaseSync;
  #version: StatementSync | null = null;
  #select: StatementSync | null = null;
  /** Rules by owner, with the state of the database that they were read in: every decision asks for them. */
  readonly #known = new Map<string, RuleCacheEntry>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  insert({ owner, rule, savedBy, savedAt }: SavedRule): void {
    const insert = this.#db.prepare(
      `INSERT INTO saved_rules (owner, rule, saved_by, saved_at)
       SELECT ?, ?, ?, ? WHERE (SELECT count(*) FROM saved_rules WHERE owner = ?) < ?
       ON CONFLICT (owner, rule) DO NOTHING`,
    );
    const { changes } = insert.run(owner, rule, savedBy, savedAt, owner, maxSavedRules);
    if (changes === 0 && !this.of(owner).some((known) => known.rule === rule)) throw tooManyRulesError(owner);
    // Own commits do not change `data_version`.
    this.#known.delete(owner);
  }

  /** Gives the list of before itself, not an equal one, until its rules change. */
  of(owner: string): readonly SavedRule[] {
    this.#version ??= this.#db.prepare('PRAGMA data_version');
    const at = this.#version.get()?.['data_version'];
    const known = this.#known.get(owner);
    if (known !== undefined && known.at === at) return known.rules;
    const read = this.#read(owner);
    const rules = known !== undefined && isDeepStrictEqual(known.rules, read) ? known.rules : read;
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.set(owner, { at, rules });
    return rules;
  }

  #read(owner: string): readonly SavedRule[] {
    this.#select ??= this.#db.prepare(
      'SELECT owner, rule, saved_by AS savedBy, saved_at AS savedAt FROM saved_rules WHERE owner = ? ORDER BY rowid',
    );
    return this.#select.all(owner).map((row) => shape(row, 'saved rule'));
  }
}

function tooManyRulesError(owner: string): CaissonError {
  return new CaissonError('resource_exhausted', `${owner} has ${maxSavedRules} saved rules already`, {
    remedy: 'allow such commands by a pattern in command_allowlist of the configuration',
  });
}

interface RuleCacheEntry {
  readonly at: unknown;
  readonly rules: readonly SavedRule[];
}
