/**
 * A tar in the making: blocks go into chunks of 1 MiB, and a chunk that is full is given away.
 *
 * Chunks go round in a ring, since fresh ones would pile up by the 64 MiB before the collector looks at them. One is
 * used again when seven more have been given away, and the reader asks for the next only when the write of the last but
 * one has called back. A stream that still held it by then would buffer megabytes behind its back-pressure, which the
 * contract rules out.
 */
import type { Hash } from 'node:crypto';
import { read, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { CaissonError } from '../errors.ts';
import { blockBytes, encodeHeader, type HeaderFields, padded } from './tar-header.ts';

const readAsync = promisify(read);
const chunkBytes = 1024 * 1024;
const ringChunks = 8;

export class ArchiveChunks {
  readonly #onBytes: (bytes: number) => void;
  readonly #ring: Buffer[] = [];
  readonly #full: Buffer[] = [];
  #turn = 0;
  #chunk = this.#next();
  #used = 0;

  constructor(onBytes: (bytes: number) => void) {
    this.#onBytes = onBytes;
  }

  /** The next chunk to give away, if one is full: to be asked for after each entry. */
  full(): Buffer | null {
    return this.#full.shift() ?? null;
  }

  header(fields: HeaderFields): void {
    const blocks = encodeHeader(fields);
    this.#room(blocks.length);
    blocks.copy(this.#chunk, this.#used);
    this.#used += blocks.length;
  }

  /** Content of at most one chunk, which is given back: good until the next call. */
  small(fd: number, size: number): Buffer {
    this.#room(padded(size));
    const end = this.#used + size;
    for (let at = this.#used; at < end;) at += some(readSync(fd, this.#chunk, at, end - at, null));
    const content = this.#chunk.subarray(this.#used, end);
    this.#used = end;
    this.#onBytes(size);
    this.#pad(size);
    return content;
  }

  async *large(fd: number, size: number, digest?: Hash): AsyncGenerator<Buffer, void, undefined> {
    for (let left = size; left > 0;) {
      if (this.#used === chunkBytes) this.#take();
      for (let full = this.full(); full !== null; full = this.full()) yield full;
      const { bytesRead } = await readAsync(fd, this.#chunk, this.#used, Math.min(left, chunkBytes - this.#used), null);
      left -= some(bytesRead);
      digest?.update(this.#chunk.subarray(this.#used, this.#used + bytesRead));
      this.#used += bytesRead;
      this.#onBytes(bytesRead);
    }
    this.#pad(size);
  }

  end(): void {
    this.#room(2 * blockBytes);
    this.#chunk.fill(0, this.#used, this.#used + 2 * blockBytes);
    this.#used += 2 * blockBytes;
    this.#take();
  }

  #room(bytes: number): void {
    if (this.#used + bytes > chunkBytes) this.#take();
  }

  #take(): void {
    this.#full.push(this.#chunk.subarray(0, this.#used));
    this.#chunk = this.#next();
    this.#used = 0;
  }

  #next(): Buffer {
    const chunk = (this.#ring[this.#turn] ??= Buffer.allocUnsafe(chunkBytes));
    this.#turn = (this.#turn + 1) % ringChunks;
    return chunk;
  }

  /** Chunks are whole blocks, so the rest of the last block is always in the same chunk. */
  #pad(size: number): void {
    const zeros = padded(size) - size;
    this.#chunk.fill(0, this.#used, this.#used + zeros);
    this.#used += zeros;
  }
}

/** The size is in the header already, so a file that has become shorter cannot be sent. */
function some(bytesRead: number): number {
  if (bytesRead > 0) return bytesRead;
  throw new CaissonError('failed_precondition', 'a file became shorter while it was read', {
    remedy: 'copy again when nothing writes to the source',
  });
}
