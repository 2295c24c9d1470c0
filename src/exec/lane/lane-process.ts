/** One exec in a lane, in the shape of any other process, so that everything above it works the same. */
import { Readable } from 'node:stream';
import type { Process, ProcessEnd } from '../../backend.ts';

export interface LaneControl {
  /** Called when a reader wants more of a stream. */
  flow(stream: 'stdout' | 'stderr'): void;
  kill(signal: string): Promise<void>;
  /** The reader gives up: the lane cannot be used again when its end has not been seen. */
  release(): void;
}

export class LaneProcess implements Process {
  readonly stdin = null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly #control: LaneControl;
  readonly #end = Promise.withResolvers<ProcessEnd>();

  constructor(control: LaneControl) {
    this.#control = control;
    this.stdout = new Readable({ highWaterMark: 256 * 1024, read: () => control.flow('stdout') });
    this.stderr = new Readable({ highWaterMark: 256 * 1024, read: () => control.flow('stderr') });
    this.#end.promise.catch(() => undefined); // whoever calls `wait` is told
  }

  wait(): Promise<ProcessEnd> {
    return this.#end.promise;
  }

  kill(signal: string): Promise<void> {
    return this.#control.kill(signal);
  }

  release(): void {
    this.#control.release();
    this.endStreams();
  }

  /** The command has ended. */
  ended(end: ProcessEnd): void {
    this.#end.resolve(end);
  }

  /** Its end cannot be known. */
  lost(error: unknown): void {
    this.#end.reject(error);
  }

  /** Nothing can come any more. */
  endStreams(): void {
    for (const stream of [this.stdout, this.stderr]) if (!stream.readableEnded && !stream.destroyed) stream.push(null);
  }
}
