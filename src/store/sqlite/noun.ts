/** Makes nouns of the contract from tables. A noun answers by a promise, and its errors say what could not be done. */
import type { DatabaseSync } from 'node:sqlite';
import { CaissonError } from '../../errors.ts';
import { databaseError } from './soundness.ts';
import type { Table, Tasks } from './table.ts';

export function attempt<T>(db: DatabaseSync, what: () => string, work: () => T): T {
  if (!db.isOpen) throw new CaissonError('failed_precondition', `cannot ${what()}: the store is closed`);
  try {
    return work();
  } catch (error) {
    throw databaseError(db, error, what());
  }
}

export function nounOf<N extends object>(db: DatabaseSync, table: Table<N>, tasks: Tasks<N>): N {
  const methods = Object.keys(tasks).map((name) => {
    const [what, work] = [methodOf(tasks, name), methodOf(table, name)];
    return [
      name,
      async (...given: unknown[]) =>
        attempt(
          db,
          () => String(what(given)),
          () => work(given),
        ),
    ] as const;
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has the methods of N, each with its own parameters
  return Object.fromEntries(methods) as N;
}

function methodOf(object: object, name: string): (given: readonly unknown[]) => unknown {
  const method: unknown = Reflect.get(object, name);
  if (typeof method !== 'function') throw new TypeError(`there is no method ${name}`);
  return (given) => Reflect.apply(method, object, given) as unknown;
}
