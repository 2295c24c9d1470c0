/** One page of the record of an exec: whole events from a cursor on, up to a size. */
import type { ExecEvent, Exit } from '../../service/api.ts';
import type { Cursor } from './cursor.ts';
import { decoded, utf8 } from './text.ts';

type Stream = 'stdout' | 'stderr';

export class Page {
  readonly #max: number;
  readonly #streams: readonly Stream[];
  readonly #parts: Record<Stream, Uint8Array[]>;
  #seq: number;
  #bytes = 0;
  /** Bytes that the record does not have. */
  missing = 0;
  exit: Exit | null = null;
  /** There is more than this page holds. */
  full = false;

  constructor(
    { seq, stdout, stderr }: Cursor,
    { maxBytes, streams }: { readonly maxBytes: number; readonly streams: readonly Stream[] },
  ) {
    this.#seq = seq;
    this.#max = maxBytes;
    this.#streams = streams;
    this.#parts = { stdout: [stdout], stderr: [stderr] };
  }

  /** False: the page is complete, and the event is not part of it unless it is the exit. An event that is larger than a page is a page. */
  take({ seq, event }: ExecEvent): boolean {
    if (event.type === 'exit') this.exit = event.exit;
    const isWanted = (event.type === 'stdout' || event.type === 'stderr') && this.#streams.includes(event.type);
    if (isWanted && this.#bytes > 0 && this.#bytes + event.bytes.length > this.#max) {
      this.full = true;
      return false;
    }
    this.#seq = seq;
    if (isWanted) this.#add(event.type, event.bytes);
    if (event.type === 'gap' && this.#streams.includes(event.stream)) this.missing += event.bytes;
    return event.type !== 'exit';
  }

  #add(stream: Stream, bytes: Uint8Array): void {
    this.#parts[stream].push(bytes);
    this.#bytes += bytes.length;
  }

  /** Text of both streams, and where to go on. Of a command that has ended, nothing is held back. */
  read(): { readonly stdout: string; readonly stderr: string; readonly next: Cursor } {
    const stdout = this.#decoded('stdout');
    const stderr = this.#decoded('stderr');
    return {
      stdout: stdout.text,
      stderr: stderr.text,
      next: { seq: this.#seq, stdout: stdout.rest, stderr: stderr.rest },
    };
  }

  #decoded(stream: Stream): { readonly text: string; readonly rest: Uint8Array } {
    const bytes = Buffer.concat(this.#parts[stream]);
    return this.exit === null ? decoded(bytes) : { text: utf8(bytes), rest: new Uint8Array() };
  }
}
