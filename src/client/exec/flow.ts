/**
 * One stream of an exec. Its writer waits for a reader that has begun. A stream that is not read holds nothing up: what its
 * buffer does not take stays in the record on the service, from where a reader that comes later gets it.
 */
const bufferBytes = 256 * 1024;

export class Flow implements AsyncIterable<Uint8Array> {
  readonly #waiting: Uint8Array[] = [];
  #bytes = 0;
  #state: 'open' | 'ended' | 'ignored' = 'open';
  #isRead = false;
  #taken = 0;
  #rest: (() => AsyncIterable<Uint8Array>) | null = null;
  #filled = (): void => {};
  #drained = (): void => {};

  /** Bytes that it took; those behind them are in the record, and no reader has asked for them. `null`: none are. */
  get unreadFrom(): number | null {
    return this.#rest !== null && !this.#isRead && this.#state === 'open' ? this.#taken : null;
  }

  /** `rest`: what follows these bytes, from the record. A promise asks the writer to wait. */
  push(bytes: Uint8Array, rest: (() => AsyncIterable<Uint8Array>) | null = null): Promise<void> | null {
    if (this.#state !== 'open' || bytes.length === 0 || this.#rest !== null) return null;
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    this.#taken += bytes.length;
    this.#filled();
    if (this.#bytes < bufferBytes) return null;
    if (!this.#isRead && rest !== null) this.#rest = rest;
    if (this.#rest !== null) return null;
    return new Promise((resolve) => (this.#drained = resolve));
  }

  end(): void {
    if (this.#state === 'open' && this.#rest === null) this.#state = 'ended';
    this.#filled();
  }

  /** What is there and what comes is dropped. */
  ignore(): void {
    this.#state = 'ignored';
    this.#waiting.length = 0;
    this.#bytes = 0;
    this.#filled();
    this.#drained();
  }

  /** To be read once. To leave the loop gives the rest up. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    if (this.#isRead) return;
    this.#isRead = true;
    try {
      for (let next = await this.#next(); next !== null; next = await this.#next()) yield next;
      if (this.#state === 'open') yield* this.#rest?.() ?? [];
    } finally {
      this.ignore();
    }
  }

  async #next(): Promise<Uint8Array | null> {
    for (;;) {
      const bytes = this.#waiting.shift();
      if (bytes !== undefined) {
        this.#bytes -= bytes.length;
        if (this.#bytes < bufferBytes) this.#drained();
        return bytes;
      }
      if (this.#state !== 'open' || this.#rest !== null) return null;
      await new Promise<void>((resolve) => (this.#filled = resolve));
    }
  }
}
