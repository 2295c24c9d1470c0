/** Takes the mark of boot.sh out of a stream: the shell prints it behind the last byte of the command, with the status. */
const longestCode = 3;

export class EndMark {
  readonly #mark: Buffer;
  readonly #onCode: (code: number) => void;
  #carry = Buffer.alloc(0);
  #isFound = false;

  constructor(mark: string, onCode: (code: number) => void) {
    this.#mark = Buffer.from(mark);
    this.#onCode = onCode;
  }

  /** What of the bytes is the command's. The beginning of a mark is held back until it is known to be none. */
  feed(bytes: Buffer): Buffer {
    if (this.#isFound) return bytes;
    const seen = this.#carry.length === 0 ? bytes : Buffer.concat([this.#carry, bytes]);
    this.#carry = Buffer.alloc(0);
    const at = seen.indexOf(this.#mark);
    if (at >= 0) return this.#take(seen, at);
    return this.#keep(seen, beginningOf(this.#mark, seen));
  }

  /** What was held back when the stream ends. */
  rest(): Buffer {
    return this.#carry;
  }

  #take(seen: Buffer, at: number): Buffer {
    const from = at + this.#mark.length;
    const end = seen.indexOf(';', from);
    if (end < 0 && seen.length - from <= longestCode) return this.#keep(seen, at);
    const code = seen.subarray(from, Math.max(from, end)).toString('latin1');
    if (!/^\d{1,3}$/.test(code)) return seen; // The command knows the mark: its bytes stay.
    this.#isFound = true;
    this.#onCode(Number(code));
    return Buffer.concat([seen.subarray(0, at), seen.subarray(end + 1)]);
  }

  #keep(seen: Buffer, at: number): Buffer {
    this.#carry = Buffer.from(seen.subarray(at));
    return seen.subarray(0, at);
  }
}

/** The index from which the bytes could be the beginning of a mark; their length when they could not. */
function beginningOf(mark: Buffer, bytes: Buffer): number {
  for (let at = Math.max(0, bytes.length - mark.length + 1); at < bytes.length; at += 1)
    if (bytes[at] === mark[0] && mark.subarray(0, bytes.length - at).equals(bytes.subarray(at))) return at;
  return bytes.length;
}
