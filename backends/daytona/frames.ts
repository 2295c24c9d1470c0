/** Takes apart what carry.sh sends. All of it is hostile: every length is bounded, and bytes that form no frame end the process. */
import { CaissonError } from '../../src/errors.ts';

export type Frame =
  | { readonly kind: 'o' | 'e'; readonly n: number; readonly bytes: Buffer }
  | { readonly kind: 'i' | 'x' | 'l'; readonly n: number }
  | { readonly kind: 'r'; readonly input: number; readonly signal: number }
  | { readonly kind: 'p' };

const maxBytes = 65_536;
const longestHead = 64;
const newline = 0x0a;
const form = /^(?:([oe]) (\d{1,15}) (\d{1,6})|([ixl]) (\d{1,15})|r (\d{1,15}) (\d{1,15})|p)$/;

interface Awaited {
  readonly kind: 'o' | 'e';
  readonly n: number;
  readonly length: number;
}

export class FrameReader {
  readonly #onFrame: (frame: Frame) => void;
  #rest: Buffer = Buffer.alloc(0);
  /** Head of a chunk whose bytes are awaited. */
  #awaited: Awaited | null = null;

  constructor(onFrame: (frame: Frame) => void) {
    this.#onFrame = onFrame;
  }

  /** A half-read frame is dropped: the connection was taken up again. */
  reset(): void {
    this.#rest = Buffer.alloc(0);
    this.#awaited = null;
  }

  /** Throws `unavailable` for bytes that form no frame. */
  feed(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (this.#step());
  }

  #step(): boolean {
    if (this.#awaited !== null) return this.#takeBytes(this.#awaited);
    const end = this.#rest.indexOf(newline);
    if (end > longestHead || (end < 0 && this.#rest.length > longestHead)) throw frameError();
    if (end < 0) return false;
    const head = this.#rest.subarray(0, end).toString('latin1');
    this.#rest = this.#rest.subarray(end + 1);
    this.#head(head);
    return true;
  }

  #takeBytes({ kind, n, length }: Awaited): boolean {
    if (this.#rest.length < length) return false;
    const bytes = Buffer.from(this.#rest.subarray(0, length));
    this.#rest = this.#rest.subarray(length);
    this.#awaited = null;
    this.#onFrame({ kind, n, bytes });
    return true;
  }

  #head(head: string): void {
    const [whole, stream, chunk, length, counter, n, input, signal] = form.exec(head) ?? [];
    if (whole === undefined) throw frameError();
    if ((stream === 'o' || stream === 'e') && Number(length) <= maxBytes)
      this.#awaited = { kind: stream, n: Number(chunk), length: Number(length) };
    else if (counter === 'i' || counter === 'x' || counter === 'l') this.#onFrame({ kind: counter, n: Number(n) });
    else if (input !== undefined) this.#onFrame({ kind: 'r', input: Number(input), signal: Number(signal) });
    else if (whole === 'p') this.#onFrame({ kind: 'p' });
    else throw frameError();
  }
}

export function frameError(): CaissonError {
  return new CaissonError('unavailable', 'what carries the command in the sandbox sent something else than it should', {
    remedy: 'try again; a command that interferes with /dev/shm or with other processes of the sandbox can cause it',
  });
}
