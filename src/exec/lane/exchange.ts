/**
 * One question to a lane and its answer on both streams: every byte from the question to the marks passes here.
 *
 * Both streams must carry the end, and only the last one of each counts. Where the end names processes that hold a stream,
 * what follows it is theirs. Where it names none, nothing follows the true one: what does so shows that a command printed a
 * mark, and that the true one is still on its way. An end in a lane is therefore believed when nothing follows, or when
 * the streams have gone quiet; on the direct path, when the process has ended.
 */
import { emptyForm, namesHolder } from './protocol.ts';
import { type EndMark, Scanner } from './scanner.ts';

export type StreamName = 'stdout' | 'stderr';

/** Bytes that came behind the marks. */
export type Late = Readonly<Record<StreamName, Buffer>>;

export interface Answer {
  /** The opening mark, where one was asked for. */
  opened?(trailer: string): void;
  deliver(name: StreamName, bytes: Buffer): void;
  /** Whether the streams are read; while they are not, they bring nothing. Default: they are. */
  isRead?(): boolean;
  /** Both marks are there. `trailer` is that of stdout. */
  ended(trailer: string, late: Late): void;
  /** No answer will come. */
  lost(why: string): void;
}

export interface Question {
  readonly nonce: string;
  /** What is printed on stdout when a command has killed the lane, where something is. */
  readonly notice?: string | null;
  readonly form: RegExp;
  readonly opening?: RegExp;
  /** Whether stderr carries no mark. */
  readonly isOnStdoutAlone?: boolean;
  /** Whether another event tells when the marks are to be believed: see `conclude`. */
  readonly waitsForEnd?: boolean;
}

/** More than this behind a mark that names no holder: it was data. */
const maxLateBytes = 64 * 1024;
/** Bytes held behind a mark whose holders are not known yet. */
const maxHeldBytes = 1024 * 1024;
/** What was in a pipe when the last mark was written arrives within this time. */
const quietMs = 50;
const killed = 'a command killed it';

interface Ends {
  readonly stdout: EndMark;
  readonly stderr: EndMark;
}

const noMark: EndMark = { trailer: '', late: Buffer.alloc(0) };

export class Exchange {
  readonly #answer: Answer;
  readonly #waitsForEnd: boolean;
  readonly #stdout: Scanner;
  readonly #stderr: Scanner | null;
  #quiet: NodeJS.Timeout | null = null;
  #isDead = false;
  #over = false;

  constructor(question: Question, answer: Answer) {
    const { nonce, form, notice = null, opening = null, isOnStdoutAlone = false, waitsForEnd = false } = question;
    this.#answer = answer;
    this.#waitsForEnd = waitsForEnd;
    const deliver = (name: StreamName) => (bytes: Buffer) => answer.deliver(name, bytes);
    this.#stdout = new Scanner(nonce, form, { deliver: deliver('stdout'), notice, opening });
    this.#stderr = isOnStdoutAlone ? null : new Scanner(nonce, emptyForm, { deliver: deliver('stderr') });
  }

  feed(name: StreamName, chunk: Buffer): void {
    if (this.#over || chunk.length === 0) return;
    const scanner = name === 'stdout' ? this.#stdout : this.#stderr;
    if (scanner === null) return this.#answer.deliver(name, chunk);
    const scanned = scanner.feed(chunk);
    if (scanned.kind === 'unbegun') return this.lose('the process that was to run it ended before');
    if (scanned.kind === 'begun') {
      this.#answer.opened?.(scanned.trailer);
      return this.feed(name, scanned.rest);
    }
    this.#isDead ||= scanned.kind === 'died';
    this.#judge();
  }

  /** Whether both streams carry an end, which data may still follow. */
  get isMarked(): boolean {
    return this.#ends() !== null;
  }

  /** The process has ended: what follows the marks that are there is written by others. Whether both are there. */
  conclude(): boolean {
    const ends = this.#ends();
    if (ends !== null) this.#finish(ends);
    return ends !== null;
  }

  /** What is held back may be the beginning of a mark that was cut off: it reaches no reader, who learns of the cut. */
  lose(why: string): void {
    if (this.#over) return;
    this.#stop();
    this.#answer.lost(why);
  }

  #judge(): void {
    if (this.#quiet !== null) clearTimeout(this.#quiet);
    this.#quiet = null;
    const { end } = this.#stdout;
    const isHeld = end !== null && namesHolder(end.trailer);
    const ends = isHeld ? this.#ends() : this.#endsWithoutData();
    if (ends === null) this.#awaitEnds();
    else if (isHeld || this.#isDead) this.#finish(ends);
    else if (this.#waitsForEnd) return;
    else if (ends.stdout.late.length + ends.stderr.late.length === 0) this.#finish(ends);
    else this.#finishWhenQuiet();
  }

  /** The last ends, without those that so much has followed that they were data. */
  #endsWithoutData(): Ends | null {
    for (const scanner of [this.#stdout, this.#stderr]) {
      if (scanner?.end == null || scanner.end.late.length <= maxLateBytes) continue;
      // Before the end on stdout it is not known whether a process holds stderr.
      if (this.#stdout.end !== null) scanner.dropEnd();
    }
    return this.#ends();
  }

  #awaitEnds(): void {
    const held = [this.#stdout, this.#stderr].some((scanner) => (scanner?.end?.late.length ?? 0) > maxHeldBytes);
    if (held) this.lose('a process floods it behind the end of its command');
    else if (this.#isDead && this.#stdout.end === null) this.lose(killed);
    else if (this.#isDead) this.#finishWhenQuiet();
  }

  #finishWhenQuiet(): void {
    const finish = (): void => {
      if (this.#answer.isRead?.() === false) this.#finishWhenQuiet();
      else if (!this.conclude()) this.lose(killed);
    };
    this.#quiet = setTimeout(() => setImmediate(finish), quietMs);
  }

  /** `null`: not every stream carries one. */
  #ends(): Ends | null {
    const [stdout, stderr] = [this.#stdout.end, this.#stderr === null ? noMark : this.#stderr.end];
    return stdout === null || stderr === null ? null : { stdout, stderr };
  }

  #finish({ stdout, stderr }: Ends): void {
    if (this.#over) return;
    this.#stop();
    this.#answer.ended(stdout.trailer, { stdout: stdout.late, stderr: stderr.late });
  }

  #stop(): void {
    this.#over = true;
    if (this.#quiet !== null) clearTimeout(this.#quiet);
  }
}
