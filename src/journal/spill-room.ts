/**
 * How much output beyond the first 256 KiB of each exec is still kept: all records of the state directory together take
 * at most `exec.store_bytes`, and stop before its disk is full. What is not kept is a counted gap, and the command goes on.
 */
import { readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Left free for the database, the audit and everything else on that disk. */
const leftFreeBytes = 64 * 1024 * 1024;
/** So much is granted between two looks at the disk, and of the store so small a share that clearing up keeps pace. */
const grantBytes = 4 * 1024 * 1024;
const grantShare = 1 / 32;
/** What other processes have added or removed is seen after this long. */
const lookMs = 1000;
/** With less than this share unused, records are cleared up. */
const scarceShare = 1 / 8;

export interface RoomOptions {
  readonly storeBytes: number;
  /** Called when records of execs that have ended should be cleared up. */
  readonly onScarce: () => void;
}

export class SpillRoom {
  readonly #directories: readonly string[];
  readonly #options: RoomOptions;
  #granted = 0;
  /** On its way to a file. */
  #pending = 0;
  /** In files: as it was at the last look, and what this process has added. */
  #stored = 0;
  #lookedAt = -Infinity;

  constructor(directories: readonly string[], options: RoomOptions) {
    this.#directories = directories;
    this.#options = options;
  }

  /** Takes up to so many bytes, and says how many may be kept. */
  take(bytes: number): number {
    if (this.#granted < bytes) this.#granted = this.#grant(bytes);
    const taken = Math.min(bytes, this.#granted);
    this.#granted -= taken;
    this.#pending += taken;
    return taken;
  }

  /** So much of what was taken is in a file now, or never will be. */
  settle(bytes: number): void {
    this.#pending -= bytes;
    this.#stored += bytes;
  }

  /** Records were removed. */
  lookAgain(): void {
    this.#lookedAt = -Infinity;
  }

  #grant(bytes: number): number {
    const most = Math.max(bytes, Math.min(grantBytes, this.#options.storeBytes * grantShare));
    return Math.max(0, Math.min(this.#free(), this.#unused(), most));
  }

  #free(): number {
    try {
      const { bavail, bsize } = statfsSync(this.#directories[0] ?? '');
      return bavail * bsize - leftFreeBytes;
    } catch {
      // Where the system does not say, a full disk shows when a write fails.
      return Infinity;
    }
  }

  #unused(): number {
    const { storeBytes, onScarce } = this.#options;
    const unused = storeBytes - this.#look() - this.#pending;
    if (unused < storeBytes * scarceShare) onScarce();
    return unused;
  }

  #look(): number {
    if (performance.now() - this.#lookedAt > lookMs) {
      this.#stored = this.#directories.reduce((sum, directory) => sum + bytesIn(directory), 0);
      this.#lookedAt = performance.now();
    }
    return this.#stored;
  }
}

function bytesIn(directory: string): number {
  try {
    const names = readdirSync(directory);
    const sizes = names.map((name) => statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0);
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch {
    // A directory that cannot be read shows when a write fails; a command must not end by it.
    return 0;
  }
}
