/** "Did you mean ...": the known word that takes the fewest slips of the finger. */

/** `null` when nothing is near: a wild guess would mislead. The beginning of a word is near to it. */
export function nearest(word: string, known: Iterable<string>): string | null {
  const typed = word.slice(0, 100).toLowerCase();
  let best: string | null = null;
  let least = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const candidate of known) {
    const isBeginning = typed.length > 1 && candidate.toLowerCase().startsWith(typed);
    const cost = isBeginning ? 1 : distance(typed, candidate.toLowerCase());
    if (cost < least) [best, least] = [candidate, cost];
  }
  return best;
}

/** Optimal string alignment: insert, drop, change, or swap two neighbours. */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(Math.min(at(row, j) + 1, at(next, j - 1) + 1, change, swapped ? at(before, j - 2) + 1 : Infinity));
    }
    [before, row] = [row, next];
  }
  return at(row, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
