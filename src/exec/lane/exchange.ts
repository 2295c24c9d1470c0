/** One question to a lane and its answer on both streams: every byte from the question to the marks passes here. */
import { emptyForm } from './protocol.ts';
import { Scanner } from './scanner.ts';

export type StreamName = 'stdout' | 'stderr';

/** Bytes that came behind the mark of their stream, while the other mark was still to come. */
export type Late = Readonly<Record<StreamName, Buffer>>;

export interface Answer {
  /** The opening mark, where one was asked for. */
  opened?(trailer: string): void;
  deliver(name: StreamName, bytes: Buffer): void;
  /** Both marks are there. `trailer` is that of stdout. */
  ended(trailer: string, late: Late): void;
  /** No answer will come. */
  lost(why: string): void;
}

export interface Question {
  readonly nonce: string;
  /** What the lane said when it opened; heard again, another lane has taken its place. */
  readonly greeting: string | null;
  readonly form: RegExp;
  readonly opening?: RegExp;
}

const mostLateBytes = 64 * 1024;

export class Exchange {
  readonly #answer: Answer;
  readonly #scanners: Partial<Record<StreamName, Scanner>>;
  #late: Record<StreamName, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  #trailer = '';
  #over = false;

  constructor({ nonce, greeting, form, opening = undefined }: Question, answer: Answer) {
    this.#answer = answer;
    const deliver = (name: StreamName) => (bytes: Buffer) => answer.deliver(name, bytes);
    this.#scanners = {
      stdout: new Scanner(nonce, form, { deliver: deliver('stdout'), greeting, opening: opening ?? null }),
      stderr: new Scanner(nonce, emptyForm, { deliver: deliver('stderr'), greeting }),
    };
  }

  feed(name: StreamName, chunk: Buffer): void {
    if (this.#over || chunk.length === 0) return;
    const scanned = this.#scanners[name]?.feed(chunk);
    if (scanned === undefined) this.#keepLate(name, chunk);
    else if (scanned.kind === 'forged') this.lose('a command forged its mark');
    else if (scanned.kind === 'died') this.lose('a command killed it, and its guardian replaced it');
    else if (scanned.kind === 'begun') {
      this.#answer.opened?.(scanned.trailer);
      this.feed(name, scanned.rest);
    } else if (scanned.kind === 'end') this.#marked(name, scanned);
  }

  /** What is held back may be the beginning of a mark that was cut off: it reaches no reader, who learns of the cut. */
  lose(why: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#answer.lost(why);
  }

  #marked(name: StreamName, { trailer, rest }: { readonly trailer: string; readonly rest: Buffer }): void {
    delete this.#scanners[name];
    if (name === 'stdout') this.#trailer = trailer;
    this.#keepLate(name, rest);
    if (this.#over || Object.keys(this.#scanners).length > 0) return;
    this.#over = true;
    this.#answer.ended(this.#trailer, this.#late);
  }

  #keepLate(name: StreamName, chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#late = { ...this.#late, [name]: Buffer.concat([this.#late[name], chunk]) };
    if (this.#late[name].length > mostLateBytes) this.lose('a process floods it behind the end of its command');
  }
}
