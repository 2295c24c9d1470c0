/**
 * Many literals in one pass (Aho and Corasick, 1975): each byte is one look into a table, so the time is linear whatever
 * the text and the literals are, and the depth of a state tells how much of a literal may have begun.
 */

export interface Automaton {
  /** Bytes to columns of `next`; 0 is every byte that no literal has. */
  readonly columns: Uint16Array;
  readonly width: number;
  /** At state times `width` plus column: the next state. */
  readonly next: Int32Array;
  /** By state: which literals end there, longest first. */
  readonly found: readonly (readonly number[] | undefined)[];
  /** By state: 1 where a literal ends. */
  readonly hits: Uint8Array;
  /**
   * By a unit of two bytes, as `Uint16Array` reads them: 1 where a literal may begin in it or one byte before it, `certain`
   * where a byte of it is one.
   */
  readonly units: Uint8Array;
  /** By three bytes (`headOf`): 1 where a literal of more than one may begin with them. */
  readonly heads: Uint8Array;
  /** By state: length of the longest suffix of what was read that begins a literal. */
  readonly depth: Int32Array;
  /** By state: the same, of those literals that are held until they are complete or none. */
  readonly open: Int32Array;
}

/** `isHeld`: whether the bytes of a literal must not go on before it is known whether they are one. */
export function automatonOf(
  literals: readonly Uint8Array[],
  isHeld: (which: number) => boolean = () => true,
): Automaton {
  const { columns, width } = columnsOf(literals);
  const nodes = literals.reduce((sum, { length }) => sum + length, 1);
  const next = new Int32Array(nodes * width);
  const depth = new Int32Array(nodes);
  const open = new Int32Array(nodes);
  const ends: number[][] = [];
  let count = 1;
  for (const [which, literal] of literals.entries()) {
    let state = 0;
    for (const [at, byte] of literal.entries()) {
      const edge = state * width + (columns[byte] ?? 0);
      if (next[edge] === 0) {
        next[edge] = count;
        depth[count] = at + 1;
        count += 1;
      }
      state = next[edge] ?? 0;
      if (at + 1 < literal.length && isHeld(which)) open[state] = at + 1;
    }
    (ends[state] ??= []).push(which);
  }
  return {
    columns,
    width,
    depth,
    units: unitsOf(literals),
    heads: headsOf(literals),
    ...completed({ next, width, count, ends, open }),
  };
}

export const certain = 2;

/** A literal that begins at an even place shows there, one that begins at an odd place with the unit of its next bytes. */
function unitsOf(literals: readonly Uint8Array[]): Uint8Array {
  const units = new Uint8Array(2 ** 16);
  const anything = Array.from({ length: 256 }, (_, byte) => byte);
  for (const [first = 0, second, third] of longer(literals)) {
    units[unitOf(first, second)] = 1;
    for (const byte of third === undefined ? anything : [third]) units[unitOf(second, byte)] = 1;
  }
  for (const [first = 0, second] of literals)
    if (second === undefined)
      for (const byte of anything) units[unitOf(first, byte)] = units[unitOf(byte, first)] = certain;
  return units;
}

/** The first bytes of those that have more than one. */
function longer(literals: readonly Uint8Array[]): readonly (readonly [number, number, number | undefined])[] {
  return literals.flatMap(([first = 0, second, third]) => (second === undefined ? [] : [[first, second, third]]));
}

function unitOf(first: number, second: number): number {
  return new Uint16Array(Uint8Array.of(first, second).buffer)[0] ?? 0;
}

function columnsOf(literals: readonly Uint8Array[]): { readonly columns: Uint16Array; readonly width: number } {
  const columns = new Uint16Array(256);
  let width = 1;
  for (const byte of new Set(literals.flatMap((literal) => [...literal]))) {
    columns[byte] = width;
    width += 1;
  }
  return { columns, width };
}

interface Trie {
  readonly next: Int32Array;
  readonly width: number;
  readonly count: number;
  readonly ends: number[][];
  readonly open: Int32Array;
}

/** A hash: units flag many places, and three bytes tell nearly all of those apart. */
export function headOf(first: number, second: number, third: number): number {
  return (first * 2053 + second * 37 + third * 769) & 0xffff;
}

function headsOf(literals: readonly Uint8Array[]): Uint8Array {
  const heads = new Uint8Array(2 ** 16);
  const anything = Array.from({ length: 256 }, (_, byte) => byte);
  for (const [first, second, third] of longer(literals))
    for (const byte of third === undefined ? anything : [third]) heads[headOf(first, second, byte)] = 1;
  return heads;
}

/** Breadth first, so that the state to fall back to is complete before it is needed. */
function completed({ next, width, count, ends, open }: Trie): Pick<Automaton, 'next' | 'found' | 'hits' | 'open'> {
  const fallback = new Int32Array(count);
  const found: (readonly number[] | undefined)[] = Array.from({ length: count }, (_, state) => ends[state]);
  const queue = [0];
  for (let head = 0; head < queue.length; head += 1) {
    const state = queue[head] ?? 0;
    const back = fallback[state] ?? 0;
    const inherited = state === 0 ? undefined : found[back];
    if (inherited !== undefined) found[state] = [...(ends[state] ?? []), ...inherited];
    if (open[state] === 0) open[state] = open[back] ?? 0;
    for (let column = 0; column < width; column += 1) {
      const child = next[state * width + column] ?? 0;
      const other = state === 0 ? 0 : (next[back * width + column] ?? 0);
      if (child === 0) {
        next[state * width + column] = other;
      } else {
        fallback[child] = other;
        queue.push(child);
      }
    }
  }
  return { next, found, open, hits: Uint8Array.from(found, (which) => (which === undefined ? 0 : 1)) };
}
