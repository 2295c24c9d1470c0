/** The shape of a table under a noun of the contract. A table answers at once, and throws what SQLite throws. */

/** The methods of a noun, as its table has them. */
export type Table<N> = {
  readonly [M in keyof N]: N[M] extends (...given: infer A) => Promise<infer R> ? (...given: A) => R : never;
};

/** What each method of a noun does: completes the sentence "cannot ...". */
export type Tasks<N> = {
  readonly [M in keyof N]: N[M] extends (...given: infer A) => unknown ? (...given: A) => string : never;
};
