/** A walk of an automaton over buffers that follow each other. */
import { type Automaton, certain, headOf } from './automaton.ts';

/** Fewer bytes than this are walked one by one. */
const shortBytes = 64;
const noUnits: Uint16Array = new Uint16Array(0);

export class Scan {
  readonly #automaton: Automaton;
  #state = 0;
  #index = 0;
  #buffer: Uint8Array = new Uint8Array(0);
  /** The buffer by two bytes, from its first even address on, which is at `#even`. */
  #units = noUnits;
  #even = 0;

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  /** The first byte that was not read yet. */
  get index(): number {
    return this.#index;
  }

  /** The literals that end before `index`, longest first. */
  get found(): readonly number[] {
    return this.#automaton.found[this.#state] ?? [];
  }

  /** The literals that would end with this byte if it were next. */
  foundBehind(byte: number): readonly number[] {
    const { columns, width, next, found } = this.#automaton;
    return found[next[this.#state * width + (columns[byte] ?? 0)] ?? 0] ?? [];
  }

  /** How many bytes before `index` may begin a literal that is not complete yet. */
  get open(): number {
    return this.#automaton.open[this.#state] ?? 0;
  }

  /** From here on as if nothing had been read. */
  restart(buffer: Uint8Array, from: number): void {
    this.#state = 0;
    this.goOn(buffer, from);
  }

  goOn(buffer: Uint8Array, from = 0): void {
    if (buffer === this.#buffer && this.#units !== noUnits) {
      this.#index = from;
      return;
    }
    this.#buffer = buffer;
    this.#index = from;
    this.#even = buffer.byteOffset & 1;
    const whole = buffer.length - from < shortBytes ? 0 : (buffer.length - this.#even) >> 1;
    this.#units = whole === 0 ? noUnits : new Uint16Array(buffer.buffer, buffer.byteOffset + this.#even, whole);
  }

  /** To behind the next byte at which a literal ends; false at the end of the buffer. */
  next(): boolean {
    const { columns, width, next, hits, depth } = this.#automaton;
    const buffer = this.#buffer;
    const { length } = buffer;
    let state = this.#state;
    let index = this.#index;
    let hit = false;
    while (index < length && !hit) {
      const open = depth[state] ?? 0;
      // One byte that may begin a literal is as good as none: units tell whether it does. A whole literal is more, and of
      // one that began in the buffer before, units tell nothing.
      if (open === 0 || (open === 1 && index > 0 && hits[state] === 0)) {
        const at = this.#skip(index - open);
        if (at > index - open) [state, index] = [0, at];
      }
      state = next[state * width + (columns[buffer[index] ?? 0] ?? 0)] ?? 0;
      hit = hits[state] === 1;
      index += 1;
    }
    this.#state = state;
    this.#index = index;
    return hit;
  }

  /** Over places where no literal begins, which most places are: one look for two bytes. */
  #skip(from: number): number {
    const { units: begins } = this.#automaton;
    const units = this.#units;
    const { length } = units;
    // In the middle of a unit: its second byte is in no other one.
    if (((from - this.#even) & 1) !== 0) return from;
    let at = (from - this.#even) >> 1;
    for (; ; at += 1) {
      while (at + 3 < length && noneOf(begins, units, at)) at += 4;
      while (at < length && begins[units[at] ?? 0] === 0) at += 1;
      const even = this.#even + 2 * at;
      if (at >= length || begins[units[at] ?? 0] === certain) break;
      if (this.#mayBegin(even) || (even > from && this.#mayBegin(even - 1))) break;
    }
    return Math.max(from, this.#even + 2 * at - 1);
  }

  #mayBegin(at: number): boolean {
    const buffer = this.#buffer;
    if (at + 2 >= buffer.length) return true;
    return this.#automaton.heads[headOf(buffer[at] ?? 0, buffer[at + 1] ?? 0, buffer[at + 2] ?? 0)] === 1;
  }
}

/** Whether in none of four units from `at` on a literal begins: most text is passed over this way. */
function noneOf(begins: Uint8Array, units: Uint16Array, at: number): boolean {
  const first = (begins[units[at] ?? 0] ?? 0) | (begins[units[at + 1] ?? 0] ?? 0);
  const last = (begins[units[at + 2] ?? 0] ?? 0) | (begins[units[at + 3] ?? 0] ?? 0);
  return (first | last) === 0;
}
