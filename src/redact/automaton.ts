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
  /** Literals that end at a state, longest first. Index: state. */
  readonly found: readonly (readonly number[] | undefined)[];
  /** 1 where a literal ends. Index: state. */
  readonly hits: Uint8Array;
  /**
   * 1 where a literal may begin in a unit of two bytes or one byte before it, `certain` where a byte of the unit is a literal.
   * Index: the unit, as `Uint16Array` reads it.
   */
  readonly units: Uint8Array;
  /** 1 where a literal of more than one byte may begin with these three. Index: three bytes (`headOf`). */
  readonly heads: Uint8Array;
  /** Length of the longest suffix of what was read that begins a literal. Index: state. */
  readonly depth: Int32Array;
  /** Length of the longest suffix that begins a literal which is held until it is complete or cannot be. Index: state. */
  readonly open: Int32Array;
}

/** `isHeld`: whether the bytes of a literal must not go on before it is known whether they are one. */
export function buildAutomaton(
  literals: readonly Uint8Array[],
  isHeld: (which: number) => boolean = () => true,
): Automaton {
  const { columns, width } = buildColumns(literals);
  const trie = buildTrie(literals, columns, isHeld);
  const { depth } = trie;
  return { columns, width, depth, units: unitsOf(literals), heads: buildHeads(literals), ...completed(trie, width) };
}

export const certain = 2;

/** A literal that begins at an even place shows there, one that begins at an odd place with the unit of its next bytes. */
function unitsOf(literals: readonly Uint8Array[]): Uint8Array {
  const units = new Uint8Array(2 ** 16);
  for (const literal of literals) {
    const [first = 0, second] = literal;
    if (second === undefined) markCertain(units, first);
    else markLonger(units, [first, second], literal[2]);
  }
  return units;
}

/** The byte is a literal: each unit that has it, on either side. */
function markCertain(units: Uint8Array, byte: number): void {
  for (let other = 0; other < 256; other += 1) units[unitOf(byte, other)] = units[unitOf(other, byte)] = certain;
}

/** At its first byte, and at its second, where it began one byte before the unit. */
function markLonger(units: Uint8Array, [first, second]: readonly [number, number], third: number | undefined): void {
  units[unitOf(first, second)] ||= 1;
  const [from, to] = third === undefined ? [0, 255] : [third, third];
  for (let byte = from; byte <= to; byte += 1) units[unitOf(second, byte)] ||= 1;
}

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Packs two bytes into the number that `Uint16Array` reads for them on this machine. */
function unitOf(first: number, second: number): number {
  return isLittleEndian ? first | (second << 8) : (first << 8) | second;
}

function buildColumns(literals: readonly Uint8Array[]): { readonly columns: Uint16Array; readonly width: number } {
  const columns = new Uint16Array(256);
  let width = 1;
  for (const byte of new Set(literals.flatMap((literal) => [...literal]))) {
    columns[byte] = width;
    width += 1;
  }
  return { columns, width };
}

/** Children are lists: the first one by their parent, the next one by each of them, 0 at the end. */
interface Trie {
  readonly firstChild: Int32Array;
  readonly sibling: Int32Array;
  /** Column of the byte that leads to a state. Index: state. */
  readonly column: Int32Array;
  readonly depth: Int32Array;
  readonly open: Int32Array;
  readonly ends: (number[] | undefined)[];
}

/** Every command line builds one before its first command runs, so that its cost is that of cold code: index loops, no iterators. */
function buildTrie(literals: readonly Uint8Array[], columns: Uint16Array, isHeld: (which: number) => boolean): Trie {
  const max = literals.reduce((sum, { length }) => sum + length, 1);
  const row = (): Int32Array => new Int32Array(max);
  const trie: Trie = { firstChild: row(), sibling: row(), column: row(), depth: row(), open: row(), ends: [] };
  let count = 1;
  for (let which = 0; which < literals.length; which += 1) {
    const literal = literals[which] ?? new Uint8Array(0);
    const held = isHeld(which);
    let state = 0;
    for (let at = 0; at < literal.length; at += 1) {
      const child = childOf(trie, state, columns[literal[at] ?? 0] ?? 0, count);
      if (child === count) {
        trie.depth[count] = at + 1;
        count += 1;
      }
      state = child;
      if (held && at + 1 < literal.length) trie.open[state] = at + 1;
    }
    (trie.ends[state] ??= []).push(which);
  }
  trie.ends.length = count;
  return trie;
}

/** The child by that column, which `fresh` becomes where no other has. */
function childOf({ firstChild, sibling, column }: Trie, state: number, by: number, fresh: number): number {
  let child = firstChild[state] ?? 0;
  while (child !== 0 && column[child] !== by) child = sibling[child] ?? 0;
  if (child !== 0) return child;
  column[fresh] = by;
  sibling[fresh] = firstChild[state] ?? 0;
  firstChild[state] = fresh;
  return fresh;
}

/** A hash: units flag many places, and three bytes tell nearly all of those apart. */
export function headOf(first: number, second: number, third: number): number {
  return (first * 2053 + second * 37 + third * 769) & 0xffff;
}

function buildHeads(literals: readonly Uint8Array[]): Uint8Array {
  const heads = new Uint8Array(2 ** 16);
  for (const [first = 0, second, third] of literals) {
    if (second === undefined) continue;
    const [from, to] = third === undefined ? [0, 255] : [third, third];
    for (let byte = from; byte <= to; byte += 1) heads[headOf(first, second, byte)] = 1;
  }
  return heads;
}

/**
 * Breadth first, so that the state to fall back to is complete before it is needed. A row begins as a copy of that state's
 * row; what the trie has stands above it.
 */
function completed(
  { firstChild, sibling, column, open, ends }: Trie,
  width: number,
): Pick<Automaton, 'next' | 'found' | 'hits' | 'open'> {
  const count = ends.length;
  const next = new Int32Array(count * width);
  const fallback = new Int32Array(count);
  const found: (readonly number[] | undefined)[] = [...ends];
  const queue = [0];
  for (let head = 0; head < queue.length; head += 1) {
    const state = queue[head] ?? 0;
    const back = fallback[state] ?? 0;
    if (state !== 0) {
      next.copyWithin(state * width, back * width, (back + 1) * width);
      const inherited = found[back];
      if (inherited !== undefined) found[state] = [...(ends[state] ?? []), ...inherited];
      if (open[state] === 0) open[state] = open[back] ?? 0;
    }
    for (let child = firstChild[state] ?? 0; child !== 0; child = sibling[child] ?? 0) {
      const edge = state * width + (column[child] ?? 0);
      fallback[child] = next[edge] ?? 0;
      next[edge] = child;
      queue.push(child);
    }
  }
  return { next, found, open, hits: Uint8Array.from(found, (which) => (which === undefined ? 0 : 1)) };
}
