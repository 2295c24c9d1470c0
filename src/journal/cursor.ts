import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Frame } from './frame.ts';
import { findMagic, frameOverheadBytes, magicTail, takeFrame } from './frame.ts';
import { errnoOf } from './problem.ts';
import { leaveWindow, takeWindow, windowBytes } from './windows.ts';

/** Places in a damaged stretch that are looked at: output may be full of what looks like frames. */
const maxTries = 10_000;

export interface Positioned {
  readonly frame: Frame;
  /** Offset of the frame in its file, in bytes. */
  readonly offset: number;
}

/**
 * Reads the frames of one segment file, in order, also while it grows. Reads are synchronous: they come from the page
 * cache, one window at a time. Damage in the middle is stepped over; what is incomplete at the end is not there yet.
 */
export class SegmentCursor {
  readonly #fd: number;
  readonly #seed: number;
  #memory = Buffer.alloc(0);
  #window = Buffer.alloc(0);
  #windowAt = 0;
  #offset: number;
  #closed = false;

  constructor(path: string, from: { readonly seed: number; readonly offset: number }) {
    this.#fd = openSync(path, 'r');
    this.#seed = from.seed;
    this.#offset = from.offset;
  }

  /** Offset in the file at which the next frame begins, or will. */
  get offset(): number {
    return this.#offset;
  }

  /** `null` when no further frame is there now. The payload is good until the next call. */
  next(): Positioned | null {
    for (;;) {
      const taken = takeFrame(this.#window, this.#offset - this.#windowAt, this.#seed);
      if (taken.kind === 'frame') {
        const { frame } = taken;
        const offset = this.#offset;
        this.#offset = this.#windowAt + taken.next;
        return { frame, offset };
      }
      if (taken.kind === 'short' && this.#load(this.#offset, taken.needed) >= taken.needed) continue;
      // Short at the end of the file may be a frame that is being written, or a damaged length.
      if (!this.#skipDamage()) {
        this.#leaveWindow();
        return null;
      }
    }
  }

  close(): void {
    if (!this.#closed) closeSync(this.#fd);
    this.#closed = true;
  }

  /** Fills the window from `offset`, and says how many bytes of the file it holds from there. */
  #load(offset: number, needed = frameOverheadBytes): number {
    const wanted = Math.max(needed, Math.min(windowBytes, fstatSync(this.#fd).size - offset));
    if (this.#memory.length < wanted) this.#memory = takeWindow(wanted);
    let length = 0;
    for (let read = -1; read !== 0 && length < wanted; length += read) {
      read = readSync(this.#fd, this.#memory, length, wanted - length, offset + length);
    }
    this.#window = this.#memory.subarray(0, length);
    this.#windowAt = offset;
    return length;
  }

  /** The next try begins where this one did, though the window was moved on in search. */
  #leaveWindow(): void {
    this.#memory = leaveWindow(this.#memory);
    this.#window = this.#memory.subarray(0, 0);
    this.#windowAt = this.#offset;
  }

  /** Moves on to the next good frame after a damaged one; false when none is found. */
  #skipDamage(): boolean {
    let from = this.#offset + 1;
    for (let tries = 0; tries < maxTries;) {
      const index = from - this.#windowAt;
      const inWindow = index >= 0 && index + frameOverheadBytes <= this.#window.length;
      if (!inWindow && this.#load(from) < frameOverheadBytes) return false;
      const found = findMagic(this.#window, from - this.#windowAt);
      if (found === -1) {
        from = this.#windowAt + this.#window.length - magicTail;
        continue;
      }
      from = this.#windowAt + found;
      const taken = takeFrame(this.#window, found, this.#seed);
      if (taken.kind === 'frame') {
        this.#offset = from;
        return true;
      }
      if (taken.kind === 'short' && found > 0 && this.#load(from, taken.needed) >= taken.needed) continue;
      tries++;
      from++;
    }
    return false;
  }
}

/** Reads a segment from a place on. `null` when it has expired meanwhile. */
export function openCursor(
  { path, seed }: { readonly path: string; readonly seed: number },
  offset: number,
): SegmentCursor | null {
  try {
    return new SegmentCursor(path, { seed, offset });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}
