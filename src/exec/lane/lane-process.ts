/** One exec in a lane, in the shape of any other process, so that everything above it works the same. */
import { Readable } from 'node:stream';
import type { NotStarted, Outputs, Process, ProcessEnd } from '../../backend.ts';

export interface LaneControl {
  /** Called when a reader wants more of a stream. */
  flow(stream: 'stdout' | 'stderr'): void;
  kill(signal: string): Promise<void>;
  /** The reader gives up: the lane cannot be used again when its end has not been seen. */
  release(): void;
}

/** What the opening mark of a lane says. */
export type Opening = 'started' | 'no-directory' | NotStarted;

export class LaneProcess implements Process {
  readonly stdin = null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly #control: LaneControl;
  readonly #opening = Promise.withResolvers<Opening>();
  readonly #end = Promise.withResolvers<ProcessEnd>();
  readonly #proof = Promise.withResolvers<Outputs>();

  constructor(control: LaneControl) {
    this.#control = control;
    this.stdout = new Readable({ highWaterMark: 256 * 1024, read: () => control.flow('stdout') });
    this.stderr = new Readable({ highWaterMark: 256 * 1024, read: () => control.flow('stderr') });
    // A caller of `wait` or `opening` gets the error.
    this.#end.promise.catch(() => undefined);
    this.#opening.promise.catch(() => undefined);
  }

  /** Rejects with `unavailable` when the shell has gone before its word. */
  get opening(): Promise<Opening> {
    return this.#opening.promise;
  }

  wait(): Promise<ProcessEnd> {
    return this.#end.promise;
  }

  outputs(): Promise<Outputs> {
    return this.#proof.promise;
  }

  kill(signal: string): Promise<void> {
    return this.#control.kill(signal);
  }

  release(): void {
    this.#control.release();
    this.proved({ is: 'cut', why: 'its reader gave it up' });
    this.endStreams();
  }

  opened(opening: Opening): void {
    this.#opening.resolve(opening);
  }

  /** Only the first proof counts. */
  proved(outputs: Outputs): void {
    this.#proof.resolve(outputs);
  }

  /** The command has ended. */
  ended(end: ProcessEnd): void {
    this.#end.resolve(end);
  }

  /** Its end cannot be known. */
  lost(error: unknown): void {
    this.#opening.reject(error);
    this.#end.reject(error);
  }

  /** Nothing can come any more. */
  endStreams(): void {
    for (const stream of [this.stdout, this.stderr]) if (!stream.readableEnded && !stream.destroyed) stream.push(null);
  }
}
