/** Head and tail of one stream while it comes, in bounded memory. */
import { decoded, decodedTail, utf8 } from './text.ts';

export class Kept {
  readonly #max: number;
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer = Buffer.alloc(0);
  #bytes = 0;
  #missing = 0;

  /** `maxBytes`: of head and tail each. */
  constructor(maxBytes: number) {
    this.#max = maxBytes;
  }

  push(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    const toHead = Math.min(this.#max - this.#head.length, bytes.length);
    if (toHead > 0) this.#head = Buffer.concat([this.#head, bytes.subarray(0, toHead)]);
    if (toHead < bytes.length) this.#tail = lastOf(Buffer.concat([this.#tail, bytes.subarray(toHead)]), this.#max);
  }

  /** A part that the record does not have. */
  miss(bytes: number): void {
    this.#missing += bytes;
  }

  get truncated(): boolean {
    return this.#missing > 0 || this.#bytes > this.#head.length + this.#tail.length;
  }

  /** `rest`: bytes of a character that is not complete yet, as long as more may come. */
  read(isEnd: boolean): { readonly text: string; readonly rest: Uint8Array } {
    const omitted = this.#missing + this.#bytes - this.#head.length - this.#tail.length;
    const last = omitted === 0 ? Buffer.concat([this.#head, this.#tail]) : this.#tail;
    const rest = isEnd ? new Uint8Array() : decoded(last).rest;
    const whole = last.subarray(0, last.length - rest.length);
    if (omitted === 0) return { text: utf8(whole), rest };
    const note = `[... ${omitted} bytes are left out here ...]`;
    return { text: `${decoded(this.#head).text}\n${note}\n${decodedTail(whole)}`, rest };
  }

  get lastLine(): string {
    const end = (this.#tail.length > 0 ? this.#tail : this.#head).subarray(-1024);
    return (
      decodedTail(end)
        .trimEnd()
        .split(/[\r\n]/)
        .at(-1) ?? ''
    );
  }
}

const lastOf = (bytes: Buffer, max: number): Buffer => (bytes.length > max ? Buffer.from(bytes.subarray(-max)) : bytes);
