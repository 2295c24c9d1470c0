/** Looks for a mark in a stream whose beginning belongs to others: a login that talks, or the end of a frame that was cut. */
const maxNoise = 512 * 1024;

export class MarkSearch {
  readonly found: Promise<void>;
  readonly #found = Promise.withResolvers<void>();
  readonly #mark: Buffer;
  #before: Buffer = Buffer.alloc(0);
  #seen = 0;

  /** The mark ends with `;`. */
  constructor(mark: string) {
    this.#mark = Buffer.from(`${mark};`);
    this.found = this.#found.promise;
  }

  /** What comes behind the mark; `null`: it has not come yet. */
  feed(bytes: Buffer): Buffer | null {
    const seen = Buffer.concat([this.#before, bytes]);
    const at = seen.indexOf(this.#mark);
    this.#seen += bytes.length;
    if (at < 0) {
      this.#before = Buffer.from(seen.subarray(Math.max(0, seen.length - this.#mark.length)));
      return null;
    }
    this.#found.resolve();
    return seen.subarray(at + this.#mark.length);
  }

  /** Whether so much came without the mark that an answer is not to be expected any more. */
  get isLost(): boolean {
    return this.#seen > maxNoise;
  }
}
