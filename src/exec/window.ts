import type { KeptStream } from './types.ts';
import { characterAcross } from './utf8.ts';

/** The line that stands in the text for what is left out; a model or a person reads the text alone. */
const markFor = (bytes: number): string => `\n[... ${bytes} bytes are left out here ...]\n`;

/** Bytes beyond a cut that tell whether it goes through a character. */
const margin = 3;

/**
 * The first 40 % and the last 60 % of a stream: what a command said at first, and how it ended. Takes memory for what
 * it keeps and no more, however the stream is chunked and however long it is.
 */
export class HeadTailWindow {
  readonly #headBytes: number;
  readonly #tailBytes: number;
  readonly #head: ByteBuffer;
  /** A ring once it is full; `#at` is then its oldest byte. */
  readonly #tail: ByteBuffer;
  #at = 0;
  #bytes = 0;

  constructor(keepBytes: number) {
    this.#headBytes = Math.floor(keepBytes * 0.4);
    this.#tailBytes = keepBytes - this.#headBytes;
    this.#head = new ByteBuffer(this.#headBytes + margin);
    this.#tail = new ByteBuffer(this.#tailBytes + margin);
  }

  write(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#head.append(chunk);
    const { capacity } = this.#tail;
    const last = chunk.length > capacity ? chunk.subarray(chunk.length - capacity) : chunk;
    const taken = this.#tail.append(last);
    for (let rest = last.subarray(taken); rest.length > 0;) {
      const part = rest.subarray(0, capacity - this.#at);
      this.#tail.overwrite(part, this.#at);
      this.#at = (this.#at + part.length) % capacity;
      rest = rest.subarray(part.length);
    }
  }

  /** Bytes that are no UTF-8 become U+FFFD; characters are never cut. */
  read(): KeptStream {
    const head = this.#head.bytes();
    const ring = this.#tail.bytes();
    const tail = Buffer.concat([ring.subarray(this.#at), ring.subarray(0, this.#at)]);
    const tailStart = this.#bytes - tail.length;
    if (this.#bytes <= this.#headBytes + this.#tailBytes) {
      return this.#kept(Buffer.concat([head, tail.subarray(Math.max(0, head.length - tailStart))]), null);
    }
    const headEnd = characterAcross(head, this.#headBytes)?.[0] ?? this.#headBytes;
    const cut = tail.length - this.#tailBytes;
    const from = characterAcross(tail, cut)?.[1] ?? cut;
    return this.#kept(head.subarray(0, headEnd), tail.subarray(from));
  }

  #kept(head: Buffer, tail: Buffer | null): KeptStream {
    const text = head.toString('utf8');
    const bytes = this.#bytes;
    if (tail === null) return { text, bytes, truncated: false, omittedBytes: 0, cutAt: null, cutTo: null };
    const omittedBytes = bytes - head.length - tail.length;
    const marked = text + markFor(omittedBytes);
    return {
      text: marked + tail.toString('utf8'),
      bytes,
      truncated: true,
      omittedBytes,
      cutAt: text.length,
      cutTo: marked.length,
    };
  }
}

/** Grows to its capacity as it fills. */
class ByteBuffer {
  readonly capacity: number;
  #buffer = Buffer.alloc(0);
  #length = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** Takes what fits, and says how much that was. */
  append(chunk: Uint8Array): number {
    const part = chunk.subarray(0, this.capacity - this.#length);
    if (this.#length + part.length > this.#buffer.length) this.#grow(this.#length + part.length);
    this.#buffer.set(part, this.#length);
    this.#length += part.length;
    return part.length;
  }

  overwrite(part: Uint8Array, at: number): void {
    this.#buffer.set(part, at);
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #grow(least: number): void {
    const grown = Buffer.alloc(Math.min(this.capacity, Math.max(least, this.#buffer.length * 2, 1024)));
    grown.set(this.bytes());
    this.#buffer = grown;
  }
}
