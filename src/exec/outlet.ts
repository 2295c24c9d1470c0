/**
 * One stream as its reader gets it. A reader that has begun and stops is waited for. What no reader has begun to take goes to
 * the record alone once the buffer is full, and a reader that comes later gets it from there.
 */
import { Readable } from 'node:stream';

/** What a reader may have unread before the command has to wait. */
export const bufferBytes = 256 * 1024;

export interface OutletOptions {
  /** The stream as its record has it, from a byte on and to its end. `null`: there is none, and every reader is waited for. */
  readonly recorded: ((from: number) => AsyncIterable<Uint8Array>) | null;
  /** The reader takes more. */
  readonly onRead: () => void;
  /** The reader has gone away. */
  readonly onGone: () => void;
}

export class Outlet {
  readonly readable: Readable;
  readonly #options: OutletOptions;
  #delivered = 0;
  #isEnded = false;
  /** What comes is in the record alone. */
  #isLeft = false;
  #isPumping = false;
  #wake = (): void => {};

  constructor(options: OutletOptions) {
    this.#options = options;
    this.readable = new Readable({
      highWaterMark: bufferBytes,
      read: () => this.#onRead(),
      destroy: (error, done) => {
        this.#isEnded = true;
        this.#wake();
        options.onGone();
        done(error);
      },
    });
  }

  /** Bytes that went into the buffer; those behind them are in the record alone, and no reader has asked for them. `null`: none are. */
  get unreadFrom(): number | null {
    return this.#isLeft && !this.#isPumping && !this.#isEnded ? this.#delivered : null;
  }

  /** Whether some of it is, or was, in the record alone. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** False: the writer has to wait until the reader takes more. */
  push(part: Uint8Array): boolean {
    if (this.#isEnded || this.#isLeft) return true;
    this.#delivered += part.length;
    if (this.readable.push(part) || (!hasReader(this.readable) && this.leave())) return true;
    return false;
  }

  /** Leaves what comes from here on to the record. False: the exec keeps no record. */
  leave(): boolean {
    if (this.#options.recorded === null) return false;
    this.#isLeft = true;
    return true;
  }

  /** Nothing more comes. */
  end(): void {
    if (!this.#isLeft) this.close();
  }

  /** Ends it here, whatever is left. */
  close(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#wake();
    this.readable.push(null);
  }

  #onRead(): void {
    if (!this.#isLeft || this.#isEnded) this.#options.onRead();
    else if (this.#isPumping) this.#wake();
    else void this.#pump().catch((error: unknown) => this.readable.destroy(asError(error)));
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    for await (const bytes of this.#options.recorded?.(this.#delivered) ?? []) {
      if (this.#isEnded) return;
      if (this.readable.push(bytes)) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.close();
  }
}

function hasReader(stream: Readable): boolean {
  return stream.readableFlowing !== null || stream.readableDidRead || stream.listenerCount('readable') > 0;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('the record cannot be read');
}
