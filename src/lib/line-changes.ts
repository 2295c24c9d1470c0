/** Differences of two lists of lines. Pure, and bounded in time and memory. */

/** Lines `[from, to)` of one list that stand for those of the other. One of the two may be empty. */
export interface LineChange {
  readonly before: readonly [from: number, to: number];
  readonly after: readonly [from: number, to: number];
}

/** Cells of the table: 2000 lines against 2000, in 8 MB and some ten milliseconds. Beyond that it is one change. */
const maxCells = 4_000_000;

export function lineChanges(before: readonly string[], after: readonly string[]): readonly LineChange[] {
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && before[start] === after[start]) start += 1;
  let same = 0;
  while (same < least - start && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  const [from, to] = numbered([before.slice(start, before.length - same), after.slice(start, after.length - same)]);
  return between(from, to).map((change) => ({
    before: [change.before[0] + start, change.before[1] + start],
    after: [change.after[0] + start, change.after[1] + start],
  }));
}

/** Lines as numbers, so that long ones which begin alike cost no more than others. */
function numbered([before, after]: readonly [readonly string[], readonly string[]]): readonly [Int32Array, Int32Array] {
  const numbers = new Map<string, number>();
  const numberOf = (line: string): number => {
    const known = numbers.get(line) ?? numbers.size;
    numbers.set(line, known);
    return known;
  };
  return [Int32Array.from(before, numberOf), Int32Array.from(after, numberOf)];
}

function between(before: Int32Array, after: Int32Array): readonly LineChange[] {
  if (before.length === 0 && after.length === 0) return [];
  if (before.length * after.length > maxCells) return [{ before: [0, before.length], after: [0, after.length] }];
  const table = longestCommon(before, after);
  const width = after.length + 1;
  const changes: LineChange[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const begun = [row, column] as const;
    while ((row < before.length || column < after.length) && before[row] !== after[column])
      if (column >= after.length) row += 1;
      else if (row >= before.length || at(table, row * width + column + 1) > at(table, (row + 1) * width + column))
        column += 1;
      else row += 1;
    if (row > begun[0] || column > begun[1]) changes.push({ before: [begun[0], row], after: [begun[1], column] });
    while (row < before.length && column < after.length && before[row] === after[column])
      [row, column] = [row + 1, column + 1];
  }
  return changes;
}

/** Table that holds in each cell how many lines of the rest of both can be kept. */
function longestCommon(before: Int32Array, after: Int32Array): Uint16Array {
  const width = after.length + 1;
  // The shorter list has at most 2000 lines here.
  const table = new Uint16Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row -= 1)
    for (let column = after.length - 1; column >= 0; column -= 1)
      table[row * width + column] =
        before[row] === after[column]
          ? at(table, (row + 1) * width + column + 1) + 1
          : Math.max(at(table, (row + 1) * width + column), at(table, row * width + column + 1));
  return table;
}

const at = (table: Uint16Array, cell: number): number => table[cell] ?? 0;
