/**
 * Finds the end mark of an exec in one stream of a lane, and passes everything before it on untouched.
 *
 * The mark is a nonce, followed by a fixed form. The command is not given the nonce; a process that looks into the lane's
 * descriptors or memory can read it, and `strangers.ts` is what stands against that. A nonce in any other form is a proven forgery.
 * Where a stream has an opening mark, it is the same nonce in another form, and what comes before it belongs to no
 * command and is dropped. Only bytes that may really be the beginning of the mark are held back, so a prompt of three bytes is never delayed.
 *
 * A guardian starts a new lane on the same streams when a command has killed the old one, and no stream end is seen
 * then: the greeting of the new lane is the notice of death. Commands can read that greeting in the lane's own command
 * line, so it proves nothing more than that the exec is lost.
 */

export type Scanned =
  /** Nothing more yet. */
  | { readonly kind: 'open' }
  /** The opening mark. `rest` is to be fed again. */
  | { readonly kind: 'begun'; readonly trailer: string; readonly rest: Buffer }
  | { readonly kind: 'end'; readonly trailer: string; readonly rest: Buffer }
  | { readonly kind: 'forged' }
  | { readonly kind: 'died' };

/** What is held of a stream that has gone quiet and is longer than this is the mark on its way: it cannot be guessed. */
const longestChance = 2;
/** A status and the pids of up to a few hundred holders. */
const longestTrailer = 4096;
const semicolon = 0x3b;

export class Scanner {
  readonly #mark: Buffer;
  readonly #greeting: Buffer | null;
  readonly #form: RegExp;
  /** `null` once it was seen, or where no opening mark is expected. */
  #opening: RegExp | null;
  readonly #deliver: (bytes: Buffer) => void;
  #held: Buffer = Buffer.alloc(0);
  /** How much of what is held has been delivered. */
  #shown = 0;
  #trailer: Buffer | null = null;

  /** `form` and `opening` must match the whole trailer, without its closing semicolon. */
  constructor(
    nonce: string,
    form: RegExp,
    options: {
      readonly deliver: (bytes: Buffer) => void;
      readonly greeting?: string | null;
      readonly opening?: RegExp | null;
    },
  ) {
    const { deliver, greeting = null, opening = null } = options;
    this.#opening = opening;
    this.#mark = Buffer.from(nonce, 'latin1');
    this.#greeting = greeting === null ? null : Buffer.from(greeting, 'latin1');
    this.#form = form;
    this.#deliver = deliver;
  }

  feed(chunk: Buffer): Scanned {
    if (this.#trailer !== null) return this.#finish(Buffer.concat([this.#trailer, chunk]));
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const at = bytes.indexOf(this.#mark);
    const death = this.#greeting === null ? -1 : bytes.indexOf(this.#greeting);
    if (death >= 0 && (at < 0 || death < at)) {
      this.#pass(bytes, death, death);
      return { kind: 'died' };
    }
    if (at >= 0) {
      this.#pass(bytes, at, at);
      return this.#finish(bytes.subarray(at + this.#mark.length));
    }
    const kept = Math.max(
      partialMark(bytes, this.#mark),
      this.#greeting === null ? 0 : partialMark(bytes, this.#greeting),
    );
    this.#pass(bytes, bytes.length - kept, bytes.length);
    return { kind: 'open' };
  }

  /** Whether something is held that the stream, if nothing follows soon, should not be without: the end of a prompt. */
  get waits(): boolean {
    return (
      this.#opening === null &&
      this.#trailer === null &&
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
    this.#pass(this.#held, this.#held.length, this.#held.length);
  }

  /** Delivers up to `to` what has not been, and holds what is from there to `end`. */
  #pass(bytes: Buffer, to: number, end: number): void {
    const from = this.#shown;
    this.#held = bytes.subarray(to, end);
    this.#shown = Math.max(0, from - to);
    if (to > from && this.#opening === null) this.#deliver(bytes.subarray(from, to));
  }

  #finish(bytes: Buffer): Scanned {
    const end = bytes.indexOf(semicolon);
    if (end < 0 && bytes.length <= longestTrailer) {
      this.#trailer = bytes;
      return { kind: 'open' };
    }
    const trailer = bytes.toString('latin1', 0, Math.max(end, 0));
    if (this.#opening !== null) {
      if (end < 0 || !this.#opening.test(trailer)) return { kind: 'forged' };
      this.#opening = null;
      this.#trailer = null;
      return { kind: 'begun', trailer, rest: bytes.subarray(end + 1) };
    }
    if (end < 0 || !this.#form.test(trailer)) return { kind: 'forged' };
    return { kind: 'end', trailer, rest: bytes.subarray(end + 1) };
  }
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
