/** One stream of an exec. Its writer waits for its reader: what is not read yet stays in the record on the service. */
const bufferBytes = 256 * 1024;

export class Flow implements AsyncIterable<Uint8Array> {
  readonly #waiting: Uint8Array[] = [];
  #bytes = 0;
  #state: 'open' | 'ended' | 'ignored' = 'open';
  #isRead = false;
  #filled = (): void => {};
  #drained = (): void => {};

  /** A promise asks the writer to wait. */
  push(bytes: Uint8Array): Promise<void> | null {
    if (this.#state !== 'open' || bytes.length === 0) return null;
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    this.#filled();
    if (this.#bytes < bufferBytes) return null;
    return new Promise((resolve) => (this.#drained = resolve));
  }

  end(): void {
    if (this.#state === 'open') this.#state = 'ended';
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
      if (this.#state !== 'open') return null;
      await new Promise<void>((resolve) => (this.#filled = resolve));
    }
  }
}
