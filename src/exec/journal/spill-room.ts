/**
 * How much output beyond the first 256 KiB of each exec is still kept: all spills of the state directory together take at
 * most `exec.store_bytes`, and stop before its disk is full. What is not kept is a counted gap, and the command goes on.
 */
import { readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Left free for the database, the audit and everything else on that disk. */
const leftFreeBytes = 64 * 1024 * 1024;
/** So much is granted between two looks at the disk. */
const grantBytes = 4 * 1024 * 1024;

export class SpillRoom {
  readonly #directory: string;
  readonly #storeBytes: number;
  #granted = 0;
  #taken = 0;

  constructor(directory: string, storeBytes: number) {
    this.#directory = directory;
    this.#storeBytes = storeBytes;
  }

  /** Takes up to so many bytes, and says how many may be kept. */
  take(bytes: number): number {
    if (this.#granted < bytes) this.#granted = Math.max(0, Math.min(this.#free(), this.#unused(), grantBytes));
    const taken = Math.min(bytes, this.#granted);
    this.#granted -= taken;
    this.#taken += taken;
    return taken;
  }

  #free(): number {
    try {
      const { bavail, bsize } = statfsSync(this.#directory);
      return bavail * bsize - leftFreeBytes;
    } catch {
      // Where the system does not say, a full disk shows when a write fails.
      return Infinity;
    }
  }

  #unused(): number {
    const stored = this.#storedBytes();
    // What was taken since the last look may not be in the files yet.
    const used = stored + this.#taken;
    this.#taken = 0;
    return this.#storeBytes - used;
  }

  #storedBytes(): number {
    try {
      const names = readdirSync(this.#directory);
      const sizes = names.map((name) => statSync(join(this.#directory, name), { throwIfNoEntry: false })?.size ?? 0);
      return sizes.reduce((sum, size) => sum + size, 0);
    } catch {
      // A directory that cannot be read shows when a write fails; a command must not end by it.
      return 0;
    }
  }
}
