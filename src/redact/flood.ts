/**
 * A stream that holds hardly anything but secrets. Each of them costs a look and a placeholder, and nothing readable is between
 * them: what is left of such a stream is replaced as a whole.
 */

/** What stands in its place. */
export const floodKind = 'the rest of this output, nearly all of which is secrets';

/** Bytes of the stream between two looks. Looks stand at fixed places of it, so that they do not depend on chunks. */
const lookBytes = 64 * 1024;
/** A part of the stream with fewer bytes than this for each secret counts as nothing but secrets. */
const bytesOfSecret = 32;

export class Flood {
  #isOver = false;
  #bytes = 0;
  #before = 0;

  get isOver(): boolean {
    return this.#isOver;
  }

  /** How many bytes may be read before the next look. */
  get untilLook(): number {
    return lookBytes - this.#bytes;
  }

  /** After these bytes. `redactions`: of the stream until now. True once. */
  begins(bytes: number, redactions: number): boolean {
    this.#bytes += bytes;
    if (this.#bytes < lookBytes) return false;
    this.#isOver = (redactions - this.#before) * bytesOfSecret > lookBytes;
    this.#bytes = 0;
    this.#before = redactions;
    return this.#isOver;
  }
}
