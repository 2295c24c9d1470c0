/**
 * Finds what stands next in a buffer whose bytes do not change. Looks that overlap, as those at `key=key=key=` do, read
 * each byte once.
 */
import { type ByteClass, has, textOf } from './bytes.ts';

abstract class Next {
  #buffer: Buffer | null = null;
  #from = 0;
  #at = 0;

  /** Whether it stands between these places. */
  isWithin(buffer: Buffer, from: number, end: number): boolean {
    if (buffer !== this.#buffer || from < this.#from || from > this.#at) {
      this.#buffer = buffer;
      this.#at = from;
    }
    this.#from = from;
    if (this.#at < end) this.#at = this.find(buffer, this.#at, end);
    return this.#at < end;
  }

  /** From a place on: the first place at which it stands, or any between `end` and that. */
  protected abstract find(buffer: Buffer, from: number, end: number): number;
}

/** A byte of a class. */
export class NextByte extends Next {
  readonly #table: ByteClass;

  constructor(table: ByteClass) {
    super();
    this.#table = table;
  }

  protected find(buffer: Buffer, from: number, end: number): number {
    let at = from;
    while (at < end && !has(this.#table, buffer[at])) at += 1;
    return at;
  }
}

/** The first byte of a word. */
export class NextWord extends Next {
  readonly #word: string;

  constructor(word: string) {
    super();
    this.#word = word;
  }

  protected find(buffer: Buffer, from: number): number {
    const at = textOf(buffer).indexOf(this.#word, from);
    return at < 0 ? buffer.length : at;
  }
}
