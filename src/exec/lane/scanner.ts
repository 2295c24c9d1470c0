/**
 * Finds the end mark of an exec in one stream of a lane, and passes everything before it on untouched.
 *
 * The mark is a nonce, followed by a fixed form. A nonce in any other form, or in the form of an end that another end follows, is
 * data: a command can read nonces in the memory of its lane, and print them. So the last end counts, and what came behind
 * it is kept until its reader decides: bytes of a process that holds the stream, or of a command that had not ended.
 *
 * Where a stream has an opening mark, it is the same nonce in another form, and what comes before it belongs to no
 * command and is dropped. Only bytes that may really be the beginning of the mark are held back, so a prompt of three bytes is never delayed.
 *
 * The first process of a sandbox prints a notice on the same streams when a command has killed the lane that it kept, and no
 * stream end is seen then. A command could print that notice, so it proves nothing more than that the exec is lost.
 */

export type Scanned =
  /** Nothing more yet, or an end: see `end`. */
  | { readonly kind: 'open' }
  /** The opening mark. `rest` is to be fed again. */
  | { readonly kind: 'begun'; readonly trailer: string; readonly rest: Buffer }
  /** The end of a command that never began. */
  | { readonly kind: 'unbegun' }
  | { readonly kind: 'died' };

export interface EndMark {
  readonly trailer: string;
  /** What has followed it so far. */
  readonly late: Buffer;
}

interface ScannerOptions {
  readonly deliver: (bytes: Buffer) => void;
  /** What is printed when the lane has died, where something is. */
  readonly notice?: string | null;
  readonly opening?: RegExp | null;
}

/** What is held of a stream that has gone quiet and is longer than this is the mark on its way: it cannot be guessed. */
const longestChance = 2;
/** A status and the pids of up to a few hundred holders. */
const longestTrailer = 4096;
const semicolon = 0x3b;
/** Table of the bytes that any form of trailer may have. */
const isOfTrailer = Array.from({ length: 256 }, (_, byte) => /[ 0-9a-z:?.+=-]/.test(String.fromCodePoint(byte)));

export class Scanner {
  readonly #mark: Buffer;
  readonly #notice: Buffer | null;
  readonly #form: RegExp;
  /** `null` once it was seen, or where no opening mark is expected. */
  #opening: RegExp | null;
  readonly #deliver: (bytes: Buffer) => void;
  /** From the last end on, where there is one; else what may be the beginning of a mark. */
  #held: Buffer = Buffer.alloc(0);
  /** How much of what is held has been delivered. */
  #shown = 0;
  #end: { readonly trailer: string; readonly length: number } | null = null;

  /** `form` and `opening` must match the whole trailer, without its closing semicolon. */
  constructor(nonce: string, form: RegExp, { deliver, notice = null, opening = null }: ScannerOptions) {
    this.#opening = opening;
    this.#mark = Buffer.from(nonce, 'latin1');
    this.#notice = notice === null ? null : Buffer.from(notice, 'latin1');
    this.#form = form;
    this.#deliver = deliver;
  }

  feed(chunk: Buffer): Scanned {
    const all = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const behind = this.#end?.length ?? 0;
    const death = this.#notice === null ? -1 : all.indexOf(this.#notice, behind);
    const scanned = this.#scan(death < 0 ? all : all.subarray(0, death), behind);
    if (death < 0 || scanned.kind === 'unbegun') return scanned;
    if (scanned.kind === 'begun') return { ...scanned, rest: Buffer.concat([scanned.rest, all.subarray(death)]) };
    if (this.#end === null) this.flush();
    return { kind: 'died' };
  }

  /** The last end, until it is taken for data. */
  get end(): EndMark | null {
    if (this.#end === null) return null;
    return { trailer: this.#end.trailer, late: this.#held.subarray(this.#end.length) };
  }

  /** What looked like the end was data. */
  dropEnd(): void {
    const behind = this.#end?.length ?? 0;
    this.#end = null;
    this.#scan(this.#held, behind);
  }

  /** Whether something is held that the stream, if nothing follows soon, should not be without: the end of a prompt. */
  get waits(): boolean {
    return (
      this.#opening === null &&
      this.#end === null &&
      this.#held.length > this.#shown &&
      this.#held.length <= longestChance
    );
  }

  /** The stream has gone quiet. What follows may still make a mark of what `waits`. */
  settle(): void {
    if (!this.waits) return;
    this.#deliver(this.#held.subarray(this.#shown));
    this.#shown = this.#held.length;
  }

  /** What was held back for a mark that never came. The stream is over. */
  flush(): void {
    this.#pass(this.#held, this.#held.length);
  }

  #scan(all: Buffer, behind: number): Scanned {
    let [bytes, from] = [all, behind];
    for (;;) {
      const at = bytes.indexOf(this.#mark, from);
      const until = at < 0 ? -1 : endOfTrailer(bytes, at + this.#mark.length);
      if (until < 0) return this.#hold(bytes, at < 0 ? bytes.length - this.#partial(bytes) : at);
      const trailer = bytes[until] === semicolon ? bytes.toString('latin1', at + this.#mark.length, until) : null;
      if (trailer !== null && this.#opening?.test(trailer) === true) return this.#begin(bytes, until + 1, trailer);
      from = at + 1;
      if (trailer === null || !this.#form.test(trailer)) continue;
      if (this.#opening !== null) return { kind: 'unbegun' };
      this.#pass(bytes, at);
      bytes = this.#held;
      from = until + 1 - at;
      this.#end = { trailer, length: from };
    }
  }

  #begin(bytes: Buffer, until: number, trailer: string): Scanned {
    this.#opening = null;
    this.#held = Buffer.alloc(0);
    this.#shown = 0;
    return { kind: 'begun', trailer, rest: bytes.subarray(until) };
  }

  /** Holds all from the last end on, or else from `begins`. */
  #hold(bytes: Buffer, begins: number): Scanned {
    this.#pass(bytes, this.#end === null ? begins : 0);
    return { kind: 'open' };
  }

  #partial(bytes: Buffer): number {
    const marks = this.#notice === null ? [this.#mark] : [this.#mark, this.#notice];
    return Math.max(...marks.map((mark) => partialMark(bytes, mark)));
  }

  /** Delivers up to `to` what has not been, and holds the rest. */
  #pass(bytes: Buffer, to: number): void {
    const from = this.#shown;
    this.#held = bytes.subarray(to);
    this.#shown = Math.max(0, from - to);
    if (to > from && this.#opening === null) this.#deliver(bytes.subarray(from, to));
  }
}

/** Index at which a possible trailer ends; -1 when more of it may come. */
function endOfTrailer(bytes: Buffer, from: number): number {
  const max = Math.min(bytes.length, from + longestTrailer);
  for (let at = from; at < max; at += 1) if (isOfTrailer[bytes[at] ?? 0] !== true) return at;
  return max < bytes.length ? max : -1;
}

/** Length of the longest suffix that is a beginning of the mark. */
function partialMark(bytes: Buffer, mark: Buffer): number {
  const first = mark[0] ?? 0;
  const from = Math.max(0, bytes.length - mark.length + 1);
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    const length = bytes.length - at;
    if (bytes.compare(mark, 0, length, at) === 0) return length;
  }
  return 0;
}
