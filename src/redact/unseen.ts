/** What is invisible in a stream: colours, and characters without width. It is cut out, and returned with its places. */
import { byteClass, has } from './bytes.ts';

/** Something unseen, before the byte at this place of what is seen. Places count from the start of the stream. */
export interface Mark {
  readonly at: number;
  readonly bytes: Buffer;
}

export interface Shown {
  readonly seen: Buffer;
  readonly marks: readonly Mark[];
}

const escape = 0x1b;
/** Bytes with which something unseen may begin. Other controls, such as NUL, end values. */
const startBytes = [0x0e, 0x0f, escape, 0x7f, 0xc2, 0xe2, 0xef];
const starts = byteClass(Buffer.from(startBytes).toString('latin1'));
/** So far they are looked for byte by byte: where they stand close together, that is faster. */
const nearBytes = 64;
const parameters = byteClass(';:', [['0', '9']]);
const longestSequence = 32;
const unfinished = -1;
/** Longest run of unseen bytes that counts as decoration between two seen ones. It bounds what waits with a held secret. */
const longestRun = 256;

export class Unseen {
  #held: Buffer = Buffer.alloc(0);
  #read = 0;
  #run = 0;

  get idle(): boolean {
    return this.#held.length === 0;
  }

  write(chunk: Buffer): Shown {
    return this.#cut(this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]), false);
  }

  /** What waited for more was complete. */
  end(): Shown {
    return this.#cut(this.#held, true);
  }

  #cut(buffer: Buffer, final: boolean): Shown {
    const seen: Buffer[] = [];
    const marks: Mark[] = [];
    let from = 0;
    const places = new Starts(buffer);
    let at = places.next(0);
    if (at > 0) this.#run = 0;
    while (at < buffer.length) {
      const size = unseenAt(buffer, at);
      if (size === unfinished && !final) break;
      if (size > 0 && this.#run + size <= longestRun) {
        seen.push(buffer.subarray(from, at));
        this.#read += at - from;
        marks.push({ at: this.#read, bytes: buffer.subarray(at, at + size) });
        this.#run += size;
        from = at + size;
      } else if (size <= 0) this.#run = 0;
      at += Math.max(size, 1);
      const next = places.next(at);
      if (next > at) this.#run = 0;
      at = next;
    }
    const end = Math.min(at, buffer.length);
    this.#read += end - from;
    this.#held = buffer.subarray(end);
    seen.push(buffer.subarray(from, end));
    return { seen: marks.length === 0 ? buffer.subarray(0, end) : Buffer.concat(seen), marks };
  }
}

/** What is seen of it. */
export function seenOf(bytes: Buffer): Buffer {
  const unseen = new Unseen();
  return Buffer.concat([unseen.write(bytes).seen, unseen.end().seen]);
}

/** The places of `startBytes` in a buffer, in their order. */
class Starts {
  readonly #buffer: Buffer;
  /** Next known place of each start byte. Native code looks for it, ten times as fast as a loop, and most text lacks them. */
  readonly #next = startBytes.map(() => -1);

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  /** The first at or behind a place; the end of the buffer without one. */
  next(from: number): number {
    const buffer = this.#buffer;
    const near = Math.min(buffer.length, from + nearBytes);
    let at = from;
    while (at < near && starts[buffer[at] ?? 0] === 0) at += 1;
    return at < near ? at : this.#far(at);
  }

  #far(from: number): number {
    let least = this.#buffer.length;
    for (const [which, byte] of startBytes.entries()) {
      let known = this.#next[which] ?? -1;
      if (known < from) {
        const found = this.#buffer.indexOf(byte, from);
        known = found < 0 ? Infinity : found;
        this.#next[which] = known;
      }
      if (known < least) least = known;
    }
    return least;
  }
}

/** How many bytes of it. 0: it is seen; `unfinished`: that depends on what comes. */
function unseenAt(buffer: Buffer, at: number): number {
  const first = buffer[at] ?? 0;
  if (first === escape) return sequenceAt(buffer, at);
  if (first < 0x80) return 1;
  const second = buffer[at + 1];
  if (second === undefined) return unfinished;
  if (first === 0xc2) return second === 0xad ? 2 : 0;
  if (first === 0xef ? second !== 0xbb : second !== 0x80 && second !== 0x81) return 0;
  const third = buffer[at + 2];
  if (third === undefined) return unfinished;
  return isWithoutWidth(first, second, third) ? 3 : 0;
}

/** U+FEFF; U+200B to U+200F and U+202A to U+202E; U+2060 to U+2064. */
function isWithoutWidth(first: number, second: number, third: number): boolean {
  if (first === 0xef) return third === 0xbf;
  if (second === 0x81) return third >= 0xa0 && third <= 0xa4;
  return (third >= 0x8b && third <= 0x8f) || (third >= 0xaa && third <= 0xae);
}

const charsets = byteClass('()*+');
/** Titles and links have texts of their own, and cursors that move are spaces. */
const otherStarts = byteClass('[]P^_X');

/** Colours, erasures in a line, character sets, and an escape by itself. */
function sequenceAt(buffer: Buffer, at: number): number {
  const kind = buffer[at + 1];
  if (kind === undefined) return unfinished;
  if (has(charsets, kind)) return buffer[at + 2] === undefined ? unfinished : 3;
  if (kind !== 0x5b) return has(otherStarts, kind) ? 0 : 1;
  let end = at + 2;
  while (end - at < longestSequence && has(parameters, buffer[end])) end += 1;
  const last = buffer[end];
  if (last === undefined) return unfinished;
  return last === 0x6d || last === 0x4b ? end + 1 - at : 0;
}
