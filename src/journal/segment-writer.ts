import { closeSync, ftruncateSync, futimesSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { heartbeatMs } from '../lib/holder.ts';
import type { FrameHead } from './frame.ts';
import { frameOverheadBytes, putFrame } from './frame.ts';
import { diskProblem } from './problem.ts';
import type { FramePosition, Segment } from './segment.ts';
import type { SegmentFile } from './segment-file.ts';
import { createSegment, writeAll } from './segment-file.ts';

const batchBytes = 64 * 1024;
const flushBytes = 16 * 1024;

export interface Appended {
  readonly head: FrameHead;
  readonly payload: Uint8Array;
  /**
   * Called with its place once the frame is in the file. Frames that have it survive a write that failed and go with
   * the next one; the others are dropped, and their offsets tell the gap.
   */
  readonly placed?: (place: FramePosition) => void;
}

interface Mark {
  readonly at: number;
  readonly end: number;
  readonly placed: (place: FramePosition) => void;
}

export interface SegmentWriterOptions {
  readonly directory: string;
  readonly holder: string;
  /** Prefix of the names of its files: the owner and a dot, as in the keys of tasks, or nothing for the operator. */
  readonly prefix: string;
  /** A segment that has so many is followed by a new one. */
  readonly segmentBytes: number;
  readonly onSegment: (segment: Segment) => void;
  readonly onWritten: () => void;
}

/**
 * Appends frames to the segments of this process. Frames are gathered and written once in a turn of the event loop, or
 * sooner when there are many; what has been written survives the death of the process. Writes go to the page cache, in
 * one system call each. Nothing is created before the first frame.
 */
export class SegmentWriter {
  readonly id = randomBytes(8).toString('hex');
  readonly #options: SegmentWriterOptions;
  #batch = Buffer.allocUnsafe(batchBytes);
  #length = 0;
  #marks: Mark[] = [];
  #scheduled = false;
  #closed = false;
  #current: SegmentFile | null = null;
  #n = 0;
  #failures = 0;
  #problem = '';
  readonly #heartbeat: NodeJS.Timeout;

  constructor(options: SegmentWriterOptions) {
    this.#options = options;
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref();
  }

  /** How often writing failed so far, and what happened last. */
  get failures(): number {
    return this.#failures;
  }

  get problem(): string {
    return this.#problem;
  }

  append(appended: Appended): void {
    if (this.#closed) return;
    const needed = frameOverheadBytes + appended.payload.length;
    if (this.#length + needed > this.#batch.length) this.#makeRoom(needed);
    const segment = this.#segment();
    // The seed to sign with is in the file, and no file could be made; the failure has been noted.
    if (segment === null) return;
    const { head, payload, placed } = appended;
    const at = this.#length;
    this.#length = putFrame(this.#batch, at, { head, payload, seed: segment.seed });
    if (placed !== undefined) this.#marks.push({ at, end: this.#length, placed });
    if (this.#length >= flushBytes) this.flush();
    else this.#schedule();
  }

  /** Writes what is gathered. Never throws: a failure is counted, and `problem` reports it. */
  flush(): void {
    const current = this.#current;
    if (current === null || this.#length === 0) return;
    const { fd, size, segment } = current;
    try {
      writeAll(fd, this.#batch.subarray(0, this.#length));
    } catch (error) {
      this.#fail(error);
      this.#undo(fd, size);
      this.#keepMarked();
      return;
    }
    current.size += this.#length;
    const marks = this.#marks;
    this.#length = 0;
    this.#marks = [];
    for (const { at, placed } of marks) placed({ segment, offset: size + at });
    if (this.#batch.length > batchBytes) this.#batch = Buffer.allocUnsafe(batchBytes);
    if (current.size >= this.#options.segmentBytes) this.#closeSegment();
    this.#options.onWritten();
  }

  close(): void {
    if (this.#closed) return;
    this.flush();
    this.#closed = true;
    clearInterval(this.#heartbeat);
    this.#closeSegment();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.flush();
    });
  }

  #makeRoom(needed: number): void {
    this.flush();
    if (this.#length + needed <= this.#batch.length) return;
    const larger = Buffer.allocUnsafe(this.#length + Math.max(needed, batchBytes));
    this.#batch.copy(larger, 0, 0, this.#length);
    this.#batch = larger;
  }

  #segment(): Segment | null {
    try {
      return (this.#current ??= this.#open()).segment;
    } catch (error) {
      this.#fail(error);
      return null;
    }
  }

  #open(): SegmentFile {
    const { directory, holder, prefix, onSegment } = this.#options;
    const opened = createSegment({ directory, holder, prefix, writer: this.id, n: this.#n + 1 });
    this.#n = opened.segment.n;
    onSegment(opened.segment);
    return opened;
  }

  #closeSegment(): void {
    if (this.#current !== null) closeSync(this.#current.fd);
    this.#current = null;
  }

  /** A write that failed half-way leaves a torn frame; readers would step over it, but the next try begins clean. */
  #undo(fd: number, size: number): void {
    try {
      ftruncateSync(fd, size);
    } catch (error) {
      this.#fail(error);
    }
  }

  #keepMarked(): void {
    const kept: Mark[] = [];
    let length = 0;
    for (const { at, end, placed } of this.#marks) {
      if (length + end - at > batchBytes) break;
      this.#batch.copyWithin(length, at, end);
      kept.push({ at: length, end: length + end - at, placed });
      length += end - at;
    }
    this.#marks = kept;
    this.#length = length;
  }

  #fail(error: unknown): void {
    this.#failures++;
    this.#problem = diskProblem(error);
  }

  /** Tells readers on other machines that this process lives (see `lookAlive`). */
  #beat(): void {
    if (this.#current === null) return;
    const now = new Date();
    try {
      futimesSync(this.#current.fd, now, now);
    } catch (error) {
      this.#fail(error);
    }
  }
}
