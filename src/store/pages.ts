/** Lists of the store come in pages: no store gives all rows at once. Part of the contract of the store. */

/** The place of a row in a list that is ordered by a moment, and by ids within that moment. */
export interface Position {
  readonly at: number;
  readonly id: string;
}

export interface Page<P = Position> {
  /** Only what follows this position. Absent or `null`: from the start. */
  readonly after?: P | null;
  readonly limit: number;
}

export const pageRows = 500;

/** All rows of a list, one page after the other: each that stays meanwhile once, and in order. */
export async function* everyRow<Row, P>(
  read: (page: Page<P>) => Promise<readonly Row[]>,
  positionOf: (row: Row) => P,
): AsyncGenerator<Row, undefined> {
  let last: Row | undefined;
  do {
    const rows = await read({ after: last === undefined ? null : positionOf(last), limit: pageRows });
    yield* rows;
    last = rows.length < pageRows ? undefined : rows.at(-1);
  } while (last !== undefined);
}

export const created = ({ createdAt, id }: { readonly createdAt: number; readonly id: string }): Position => ({
  at: createdAt,
  id,
});

export const started = ({ startedAt, id }: { readonly startedAt: number; readonly id: string }): Position => ({
  at: startedAt,
  id,
});
