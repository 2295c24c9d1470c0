/** A command behind its watcher, in the shape of any other process: the marks are taken out, and are the proof. */
import { Readable, type Writable } from 'node:stream';
import type { Outputs, Process, ProcessEnd } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { Exchange, type Late, type StreamName } from '../lane/exchange.ts';
import type { Opening } from '../lane/lane-process.ts';
import { isNotStarted, readOpening, readStatus, statusForm } from '../lane/protocol.ts';
import { settledOrLate } from '../settled.ts';

/** `+ PID.BORN`, `-`, `126 PID.BORN` or `127 PID.BORN`. */
const openingForm = /^(-|\+|12[67])(?: (\d{1,10})\.(\d{1,20}))?$/;
/** A process that was seen holding a stream may be just ending: then the stream ends within this time. */
const holderMs = 250;
/** The word that a program was never started comes in the stream, and its end by another way. */
const openingMs = 1000;

export interface Leader {
  readonly pid: string;
  readonly born: string;
}

/** Signals the command itself, from inside. */
export type Signal = (leader: Leader, signal: string) => Promise<void>;

interface Watching {
  readonly nonce: string;
  readonly signal: Signal;
  /** The watcher lives until its stdin ends, which says that the marks have come. */
  readonly waits: boolean;
}

export class MarkedProcess implements Process {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly #inner: Process;
  /** Input of a watcher that waits. */
  readonly #awaited: Writable | null;
  readonly #exchange: Exchange;
  readonly #signal: Signal;
  readonly #opening = Promise.withResolvers<Opening>();
  readonly #proof = Promise.withResolvers<Outputs>();
  #leader: Leader | null = null;
  readonly #sourcesEnded = Promise.withResolvers<void>();
  /** Streams of the place that have not ended. */
  #open = 2;
  /** The process has ended, and its last bytes have had time to arrive. */
  #hasEnded = false;
  /** Both marks are there, and what comes from then on is written by holders. */
  #isMarked = false;

  constructor(inner: Process, { nonce, signal, waits }: Watching) {
    this.#inner = inner;
    this.#signal = signal;
    this.stdin = waits ? null : inner.stdin;
    this.#awaited = waits ? inner.stdin : null;
    this.#awaited?.on('error', () => {}); // it has ended before
    this.stdout = readerOf(inner.stdout);
    this.stderr = readerOf(inner.stderr);
    this.#opening.promise.catch(() => undefined); // the caller of `opening` gets the error
    this.#exchange = new Exchange(
      { nonce, form: statusForm, opening: openingForm, waitsForEnd: true },
      {
        opened: (trailer) => this.#opened(trailer),
        deliver: (name, bytes) => this.#deliver(name, bytes),
        ended: (trailer, late) => void this.#marked(trailer, late),
        lost: (why) => void this.#unmarked(why),
      },
    );
    for (const name of ['stdout', 'stderr'] as const) this.#listen(name);
    inner.wait().then(
      () => void this.#conclude(),
      () => this.#exchange.lose('its end cannot be known'),
    );
  }

  /** Rejects with `unavailable` when the streams have ended before its word. */
  get opening(): Promise<Opening> {
    return this.#opening.promise;
  }

  async wait(): Promise<ProcessEnd> {
    const end = await this.#inner.wait();
    if (end.exitCode !== 126 && end.exitCode !== 127) return end;
    if (!(await settledOrLate(this.#opening.promise, openingMs))) return end;
    const opening = await this.#opening.promise.catch(() => null);
    return opening !== null && isNotStarted(opening) ? { ...end, notStarted: opening } : end;
  }

  outputs(): Promise<Outputs> {
    return this.#proof.promise;
  }

  /** The watcher is not signalled as long as the command can be: it reports the end. */
  async kill(signal: string): Promise<void> {
    try {
      if (this.#leader !== null) return await this.#signal(this.#leader, signal);
    } catch {
      // No command can be started there now. What is left is the place's own way.
    }
    await this.#inner.kill(signal);
  }

  release(): void {
    // Behind the marks nothing is missing, even when a reader stops.
    if (!this.#isMarked) this.#proof.resolve({ is: 'cut', why: 'its reader gave it up' });
    this.#awaited?.end();
    this.#inner.release();
    this.stdout.destroy();
    this.stderr.destroy();
  }

  #listen(name: StreamName): void {
    const source = this.#inner[name];
    let over = false;
    const end = (): void => {
      if (over) return;
      over = true;
      this.#open -= 1;
      if (this.#open > 0) return;
      if (!this.#exchange.conclude()) this.#exchange.lose('the streams ended before the mark behind its last byte');
      this.#sourcesEnded.resolve();
      this.#endStreams();
    };
    source.on('data', (chunk: Buffer) => this.#receive(name, chunk));
    source.once('end', end);
    source.once('close', end);
    source.on('error', end);
  }

  #receive(name: StreamName, chunk: Buffer): void {
    if (this.#isMarked) return this.#deliver(name, chunk);
    this.#exchange.feed(name, chunk);
    if (this.#exchange.isMarked) this.#awaited?.end();
    if (this.#hasEnded) this.#exchange.conclude();
  }

  /** A command can print marks; it cannot end its watcher with them. */
  async #conclude(): Promise<void> {
    await settledOrLate(this.#sourcesEnded.promise, holderMs);
    this.#hasEnded = true;
    this.#exchange.conclude();
  }

  #opened(trailer: string): void {
    const [, word = '', pid, born] = openingForm.exec(trailer) ?? [];
    if (pid !== undefined && born !== undefined) this.#leader = { pid, born };
    this.#opening.resolve(readOpening(word));
  }

  #deliver(name: StreamName, bytes: Buffer): void {
    if (this[name].destroyed || this[name].readableEnded) return;
    if (!this[name].push(bytes)) this.#inner[name].pause();
  }

  async #marked(trailer: string, late: Late): Promise<void> {
    const { seen, suspects } = readStatus(trailer);
    this.#isMarked = true;
    for (const name of ['stdout', 'stderr'] as const) if (late[name].length > 0) this.#deliver(name, late[name]);
    if (suspects.length === 0) {
      const isLast = late.stdout.length + late.stderr.length === 0;
      this.#proof.resolve(
        isLast ? { is: 'ended' } : { is: 'cut', why: 'bytes followed the mark behind its last byte' },
      );
      this.#endStreams();
      return;
    }
    await this.#inner.wait().catch(() => undefined);
    await settledOrLate(this.#sourcesEnded.promise, holderMs);
    this.#proof.resolve(this.#open === 0 || seen.length === 0 ? { is: 'ended' } : { is: 'held', pids: seen });
  }

  /** The place may know why. */
  async #unmarked(why: string): Promise<void> {
    this.#opening.reject(new CaissonError('unavailable', `no word of the command arrived: ${why}`));
    this.#endStreams();
    await settledOrLate(this.#inner.outputs(), holderMs);
    const known = await Promise.race([this.#inner.outputs(), Promise.resolve(null)]);
    this.#proof.resolve({ is: 'cut', why: known?.is === 'cut' ? known.why : why });
  }

  #endStreams(): void {
    for (const stream of [this.stdout, this.stderr])
      if (!stream.readableEnded && !stream.destroyed && !stream.closed) stream.push(null);
  }
}

function readerOf(source: Readable): Readable {
  const reader = new Readable({ highWaterMark: 256 * 1024, read: () => void source.resume() });
  // A reader that goes away does not stop the command.
  reader.on('close', () => void source.resume());
  return reader;
}
