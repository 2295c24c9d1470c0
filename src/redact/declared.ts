/** The first pass: values that were declared, byte for byte and in their usual encodings. */
import { type Automaton, buildAutomaton } from './automaton.ts';
import { formsOf } from './forms.ts';
import { Scan } from './scan.ts';
import type { Pass, Piece } from './seen.ts';
import type { Tally } from './tally.ts';
import type { Declared } from './types.ts';

/** Made once for a set of values. */
export interface DeclaredTable {
  readonly automaton: Automaton;
  readonly forms: readonly { readonly name: string; readonly length: number; readonly wholeLine: boolean }[];
}

const newline = 0x0a;

/** `null` when there is nothing to look for. */
export function declaredTable(declared: readonly Declared[]): DeclaredTable | null {
  const forms = declared.flatMap(({ name, value }) => formsOf(value).map((form) => ({ ...form, name })));
  if (forms.length === 0) return null;
  const automaton = buildAutomaton(forms.map(({ bytes }) => bytes));
  return { automaton, forms: forms.map(({ bytes, ...form }) => ({ ...form, length: bytes.length })) };
}

interface Interval {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** Positions count from the start of the stream. Bytes are kept from `#committed` on. */
export class DeclaredPass implements Pass {
  readonly #table: DeclaredTable;
  readonly #tally: Tally;
  readonly #scan: Scan;
  #rest: Buffer = Buffer.alloc(0);
  #committed = 0;
  #read = 0;
  #maskedUntil = 0;
  #intervals: Interval[] = [];

  constructor(table: DeclaredTable, tally: Tally) {
    this.#table = table;
    this.#scan = new Scan(table.automaton);
    this.#tally = tally;
    this.#newline(); // a stream begins a line
  }

  get idle(): boolean {
    return this.#rest.length === 0 && this.#maskedUntil <= this.#committed;
  }

  write(chunk: Buffer): readonly Piece[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#scan.goOn(chunk);
    while (this.#scan.next()) this.#note(this.#read + this.#scan.index, this.#scan.found);
    this.#read += chunk.length;
    return this.#commit(this.#read - this.#openBytes());
  }

  get settled(): number {
    return this.#committed;
  }

  release(): readonly Piece[] {
    if (this.#rest.length === 0) return [];
    // A short value counts where it may be a whole line.
    const lines = this.#scan.foundBehind(newline).filter((which) => this.#table.forms[which]?.wholeLine === true);
    this.#note(this.#read + 1, lines);
    return this.#commit(this.#read);
  }

  end(): readonly Piece[] {
    this.#newline(); // and its end ends one
    this.#note(this.#read + 1, this.#scan.found);
    return this.#commit(this.#read);
  }

  #newline(): void {
    this.#scan.goOn(Uint8Array.of(newline));
    this.#scan.next();
  }

  #note(read: number, found: readonly number[]): void {
    for (const which of found) {
      const form = this.#table.forms[which];
      if (form === undefined) continue;
      const edge = form.wholeLine ? 1 : 0;
      this.#intervals.push({ start: read - form.length + edge, end: read - edge, name: form.name });
    }
  }

  /** Bytes at the end that may begin a form. The newline before a whole line is never replaced, so it need not wait. */
  #openBytes(): number {
    const kept = Math.min(this.#scan.open, this.#rest.length);
    return kept > 0 && this.#rest[this.#rest.length - kept] === newline ? kept - 1 : kept;
  }

  /** No form that begins before `limit` is open any more. */
  #commit(limit: number): readonly Piece[] {
    const pieces: Piece[] = [];
    const from = this.#committed;
    const raw = (start: number, end: number): void => {
      if (end > start)
        pieces.push({ bytes: this.#rest.subarray(start - from, end - from), from: start, replaces: false });
    };
    let at = from;
    const due = this.#intervals.filter(({ start }) => start < limit);
    for (const { start, end, name } of due.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
      if (start >= this.#maskedUntil) {
        raw(Math.max(at, this.#maskedUntil), start);
        pieces.push({ bytes: this.#tally.placeholder(name), from: start, replaces: true });
        at = start;
      }
      this.#maskedUntil = Math.max(this.#maskedUntil, end);
    }
    raw(Math.max(at, this.#maskedUntil), limit);
    if (due.length > 0) this.#intervals = this.#intervals.filter(({ start }) => start >= limit);
    this.#rest = this.#rest.subarray(limit - from);
    this.#committed = limit;
    return pieces;
  }
}
