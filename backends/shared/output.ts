/**
 * The output of a command behind a shell that says a mark first: what comes before it belongs to others (a banner, a
 * talkative .bashrc, a client) and is dropped, what comes after it goes to the reader, with back-pressure.
 */
import { Readable } from 'node:stream';
import type { CaissonError } from '../../src/errors.ts';

const bufferBytes = 256 * 1024;
/** Bytes that a talking login may write ahead of the mark; more comes from something other than a shell. */
const maxNoise = 256 * 1024;
const longestHead = 200;

export class Output {
  readonly stream: Readable;
  /** What follows the mark, up to `;`. Rejects with `noShell` when the stream ends before it. */
  readonly head: Promise<string>;
  readonly #source: Readable;
  readonly #mark: Buffer;
  readonly #noShell: () => CaissonError;
  readonly #found = Promise.withResolvers<string>();
  #before: Buffer | null = Buffer.alloc(0);

  constructor(source: Readable, mark: string, noShell: () => CaissonError) {
    narrow(source);
    this.#noShell = noShell;
    this.#source = source;
    this.#mark = Buffer.from(mark);
    this.head = this.#found.promise;
    this.head.catch(() => undefined);
    this.stream = new Readable({ highWaterMark: bufferBytes, read: () => void source.resume() });
    // Readers get the error by reading; one without a reader must not end the service.
    this.stream.on('error', () => undefined);
    this.stream.on('close', () => void source.resume());
    source.on('data', (chunk: Buffer) => this.#take(chunk));
    source.on('end', () => this.#end());
    source.on('error', (error) => this.fail(error));
  }

  fail(error: unknown): void {
    this.#found.reject(error);
    if (!this.stream.readableEnded) this.stream.destroy(error instanceof Error ? error : new Error('broken'));
  }

  #take(chunk: Buffer): void {
    const rest = this.#before === null ? chunk : this.#search(chunk);
    if (rest.length > 0 && !this.stream.destroyed && !this.stream.push(rest)) this.#source.pause();
  }

  #search(chunk: Buffer): Buffer {
    const seen = Buffer.concat([this.#before ?? Buffer.alloc(0), chunk]);
    this.#before = seen;
    const at = seen.indexOf(this.#mark);
    const from = at + this.#mark.length;
    const end = at === -1 ? -1 : seen.indexOf(';', from);
    if (end !== -1 && end - from <= longestHead) {
      this.#before = null;
      this.#found.resolve(seen.subarray(from, end).toString('latin1').trim());
      return seen.subarray(end + 1);
    }
    if (seen.length > maxNoise) this.fail(this.#noShell());
    return Buffer.alloc(0);
  }

  #end(): void {
    if (this.#before !== null) this.#found.reject(this.#noShell());
    if (!this.stream.destroyed) this.stream.push(null);
  }
}

/**
 * ssh2 grants the host two MiB of each stream and, since its own buffer is as large, two more before it notices that
 * has no reader. A smaller buffer makes it notice at once. (Node has no public way to change it after the fact; without
 * effect, the bound is four MiB.)
 */
function narrow(source: Readable): void {
  const state: unknown = Reflect.get(source, '_readableState');
  if (typeof state === 'object' && state !== null) Reflect.set(state, 'highWaterMark', bufferBytes);
}
