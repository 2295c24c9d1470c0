/**
 * Takes the engine's multiplexed stream apart: frames of an 8 byte header (type, three zeros, length) and a payload.
 *
 * What a command prints decides how many frames there are and how long they are, so nothing here recurses, looks at a
 * byte twice or believes a length. Payloads are passed on as parts of the chunk they came in; only short ones
 * that stand next to each other are copied together, since a push costs more than a few bytes do.
 */
import { CaissonError } from '../../../src/errors.ts';

export const headerBytes = 8;
/** Engines send at most some 32 KiB a frame. */
export const maxFrameBytes = 16 * 1024 * 1024;
const shortBytes = 2048;

export type Stream = 'stdout' | 'stderr';
export type Sink = (stream: Stream, bytes: Buffer) => void;

export class Demultiplexer {
  readonly #sink: Sink;
  readonly #header = Buffer.alloc(headerBytes);
  #headerFilled = 0;
  #stream: Stream = 'stdout';
  #missing = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Throws `internal` at bytes that are no frames; nothing after that can be trusted. */
  write(chunk: Buffer): void {
    const gathered = { stdout: new Gathering(chunk.length), stderr: new Gathering(chunk.length) };
    let at = 0;
    while (at < chunk.length) {
      if (this.#missing === 0) {
        at = this.#readHeader(chunk, at);
        continue;
      }
      const end = Math.min(chunk.length, at + this.#missing);
      this.#missing -= end - at;
      this.#pass(chunk.subarray(at, end), gathered[this.#stream]);
      at = end;
    }
    this.#flush('stdout', gathered.stdout);
    this.#flush('stderr', gathered.stderr);
  }

  /** Throws `unavailable` when the stream broke off within a frame. */
  end(): void {
    if (this.#missing === 0 && this.#headerFilled === 0) return;
    throw new CaissonError('unavailable', 'the output stream broke off in the middle of a frame', {
      details: { missingBytes: this.#missing },
    });
  }

  #readHeader(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + headerBytes - this.#headerFilled);
    chunk.copy(this.#header, this.#headerFilled, at, end);
    this.#headerFilled += end - at;
    if (this.#headerFilled === headerBytes) this.#openFrame();
    return end;
  }

  #openFrame(): void {
    this.#headerFilled = 0;
    const type = this.#header[0] ?? 255;
    const length = this.#header.readUInt32BE(4);
    // Type 0 is stdin, which moby's own reader treats as stdout.
    if (type > 2 || length > maxFrameBytes || this.#header.readUIntBE(1, 3) !== 0) {
      throw new CaissonError('internal', 'the engine sent something that is no output frame', {
        details: { type, length },
      });
    }
    this.#stream = type === 2 ? 'stderr' : 'stdout';
    this.#missing = length;
  }

  #pass(part: Buffer, gathering: Gathering): void {
    if (part.length < shortBytes) {
      gathering.add(part);
      return;
    }
    this.#flush(this.#stream, gathering);
    this.#sink(this.#stream, part);
  }

  #flush(stream: Stream, gathering: Gathering): void {
    const bytes = gathering.take();
    if (bytes) this.#sink(stream, bytes);
  }
}

/** Short parts of one stream within one chunk. A single one stays a view; the second one makes a copy of both. */
class Gathering {
  readonly #capacity: number;
  #single: Buffer | null = null;
  #room: Buffer | null = null;
  #filled = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(part: Buffer): void {
    if (!this.#room) {
      if (!this.#single) {
        this.#single = part;
        return;
      }
      this.#room = Buffer.allocUnsafe(this.#capacity);
      this.#filled = this.#single.copy(this.#room);
      this.#single = null;
    }
    this.#filled += part.copy(this.#room, this.#filled);
  }

  take(): Buffer | null {
    const bytes = this.#room?.subarray(0, this.#filled) ?? this.#single;
    this.#room = null;
    this.#single = null;
    this.#filled = 0;
    return bytes;
  }
}
