/** The end of an output, bounded, and cut at the beginning of a character (ACP v1, terminals). */

const max = 1024 * 1024;

export class Tail {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  #truncated = false;

  /** `limit`: bytes, as the agent asks for. */
  constructor(limit: unknown) {
    const asked = typeof limit === 'number' && limit >= 0 ? Math.floor(limit) : max;
    this.#limit = Math.min(asked, max);
  }

  add(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#bytes += chunk.length;
    // Not at every chunk: joining costs as much as there is.
    if (this.#bytes > 2 * this.#limit + 65_536) this.#join();
  }

  get text(): string {
    this.#join();
    return Buffer.concat(this.#parts).toString();
  }

  get truncated(): boolean {
    this.#join();
    return this.#truncated;
  }

  #join(): void {
    const all = Buffer.concat(this.#parts);
    const from = all.length <= this.#limit ? 0 : beginning(all, all.length - this.#limit);
    if (from > 0) this.#truncated = true;
    const kept = Buffer.from(all.subarray(from));
    this.#parts = [kept];
    this.#bytes = kept.length;
  }
}

/** Bytes that go on with a character are 10xxxxxx, at most three of them (RFC 3629). */
function beginning(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && at < from + 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}
