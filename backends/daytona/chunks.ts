/** One stream of a command as it arrives, in chunks of which only a few may be on their way. */
import { Readable } from 'node:stream';
import { frameError } from './frames.ts';

/** Chunks that carry.sh may send ahead of the reader. */
const maxOnTheWay = 3;
const bufferBytes = 64 * 1024;

export class Chunks {
  readonly stream: Readable;
  /** Number of the last chunk that arrived. */
  arrived = 0;
  /** How many the reader has taken. */
  taken = 0;
  readonly #queue: Buffer[] = [];
  readonly #onTaken: () => void;
  #wanted = false;

  constructor(onTaken: () => void) {
    this.#onTaken = onTaken;
    this.stream = new Readable({ highWaterMark: bufferBytes, read: () => this.#want() });
    // Readers get the error by reading; one without a reader must not end the service.
    this.stream.on('error', () => undefined);
  }

  /** Whether chunks wait for a reader that does not come. */
  get waits(): boolean {
    return this.#queue.length > 0;
  }

  /** A chunk that is known already came twice, since the connection was taken up again. Throws for one that comes too early. */
  arrive(n: number, bytes: Buffer): void {
    if (n <= this.arrived) return;
    if (n !== this.arrived + 1 || n > this.taken + maxOnTheWay) throw frameError();
    this.arrived = n;
    this.#queue.push(bytes);
    if (this.#wanted) this.#want();
  }

  #want(): void {
    this.#wanted = true;
    while (this.#wanted) {
      const bytes = this.#queue.shift();
      if (bytes === undefined) return;
      this.taken += 1;
      this.#wanted = this.stream.push(bytes.length === 0 ? null : bytes);
      this.#onTaken();
    }
  }
}
