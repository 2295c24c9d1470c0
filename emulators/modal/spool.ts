/** The output of one stream of a command, kept from its first byte on, so that any reader can begin anywhere at any time. */
import { createWriteStream, type WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Socket } from 'node:net';

const chunkBytes = 64 * 1024;
/** A command that prints on without end is held then. */
const maxBytes = 1024 * 1024 * 1024;

export class Spool {
  readonly #path: string;
  readonly #file: WriteStream;
  readonly #waiting = new Set<() => void>();
  #written = 0;
  #ended = false;

  /** `fd` is read until its last writer has gone; the spool closes it. */
  constructor(path: string, fd: number | null) {
    this.#path = path;
    this.#file = createWriteStream(path, { mode: 0o600 });
    this.#file.on('error', () => this.#end());
    if (fd === null) this.#file.end(() => this.#end());
    else this.#fill(new Socket({ fd, readable: true, writable: false }));
  }

  /** Parts from `offset` on, as they come, to the end of the stream. */
  async *read(offset: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    let at = offset;
    for (;;) {
      while (at >= this.#written && !this.#ended) {
        await this.#more(signal);
        if (signal.aborted) return;
      }
      if (at >= this.#written) return;
      const chunk = await this.#part(at);
      at += chunk.length;
      yield chunk;
    }
  }

  #fill(source: Socket): void {
    let bytes = 0;
    source.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      const isRoom = this.#file.write(chunk, () => {
        this.#written += chunk.length;
        this.#wake();
      });
      if (bytes > maxBytes) source.pause();
      else if (!isRoom) {
        source.pause();
        this.#file.once('drain', () => source.resume());
      }
    });
    source.on('error', () => undefined);
    source.on('close', () => this.#file.end(() => this.#end()));
  }

  async #part(at: number): Promise<Buffer> {
    const file = await open(this.#path, 'r');
    try {
      const length = Math.min(chunkBytes, this.#written - at);
      const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  async #more(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted || this.#ended) done();
    });
  }

  #end(): void {
    this.#ended = true;
    this.#wake();
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}
