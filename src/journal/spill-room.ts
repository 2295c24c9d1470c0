/**
 * How much output beyond the first 256 KiB of each exec is still kept: all records of the state directory together take
 * at most `exec.store_bytes`, those of one owner half of it, and stop before its disk is full. What is not kept is a counted gap,
 * and the command goes on.
 */
import { readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { operator } from '../values/caller.ts';
import { ownerOfFile } from './segment.ts';

/** Left free for the database, the audit and everything else on that disk. */
const leftFreeBytes = 64 * 1024 * 1024;
/** So much is granted between two looks at the disk, and of the store so small a share that clearing up keeps pace. */
const grantBytes = 4 * 1024 * 1024;
const grantShare = 1 / 32;
/** What other processes have added or removed is seen after this long. */
const lookMs = 1000;
/** Records are cleared up with less than this share unused. */
const scarceShare = 1 / 8;
/** What one owner may have of all. */
const ownerShare = 1 / 2;

/** The operator has all of it. */
export const maxOfOwner = (owner: string, storeBytes: number): number =>
  owner === operator ? storeBytes : storeBytes * ownerShare;

/** Room of one owner, which all of its execs take from. */
export interface Room {
  /** Takes up to so many bytes, and says how many may be kept. */
  take(bytes: number): number;
  /** So much of what was taken is in a file now, or never will be. */
  settle(bytes: number): void;
}

interface Account {
  readonly owner: string;
  granted: number;
  /** On its way to a file. */
  pending: number;
}

export interface RoomOptions {
  readonly storeBytes: number;
  /** Called when records of execs that have ended should be cleared up. */
  readonly onScarce: () => void;
}

export class SpillRoom {
  readonly #directories: readonly string[];
  readonly #options: RoomOptions;
  readonly #accounts = new Map<string, Account>();
  /** In files, by owner: as it was at the last look, and what this process has added. */
  #stored = new Map<string, number>();
  #lookedAt = -Infinity;

  constructor(directories: readonly string[], options: RoomOptions) {
    this.#directories = directories;
    this.#options = options;
  }

  of(owner: string): Room {
    const account = this.#accounts.get(owner) ?? { owner, granted: 0, pending: 0 };
    this.#accounts.set(owner, account);
    return {
      take: (bytes) => {
        if (account.granted < bytes) account.granted = this.#grant(account, bytes);
        const taken = Math.min(bytes, account.granted);
        account.granted -= taken;
        account.pending += taken;
        return taken;
      },
      settle: (bytes) => {
        account.pending -= bytes;
        this.#stored.set(owner, (this.#stored.get(owner) ?? 0) + bytes);
      },
    };
  }

  /** Records were removed. */
  lookAgain(): void {
    this.#lookedAt = -Infinity;
  }

  #grant(account: Account, bytes: number): number {
    const max = Math.max(bytes, Math.min(grantBytes, this.#options.storeBytes * grantShare));
    return Math.max(0, Math.min(this.#free(), this.#unused(account), max));
  }

  #free(): number {
    try {
      const { bavail, bsize } = statfsSync(this.#directories[0] ?? '');
      return bavail * bsize - leftFreeBytes;
    } catch {
      // The system does not say how much is free: a full disk shows when a write fails.
      return Infinity;
    }
  }

  #unused({ owner, pending }: Account): number {
    const { storeBytes, onScarce } = this.#options;
    this.#look();
    const ofAll =
      storeBytes - sumOf(this.#stored.values()) - sumOf([...this.#accounts.values()].map((each) => each.pending));
    const max = maxOfOwner(owner, storeBytes);
    const ofOwner = max - (this.#stored.get(owner) ?? 0) - pending;
    if (ofAll < storeBytes * scarceShare || ofOwner < max * scarceShare) onScarce();
    return Math.min(ofAll, ofOwner);
  }

  #look(): void {
    if (performance.now() - this.#lookedAt <= lookMs) return;
    this.#stored = new Map();
    for (const directory of this.#directories) addBytes(directory, this.#stored);
    this.#lookedAt = performance.now();
  }
}

const sumOf = (numbers: Iterable<number>): number => [...numbers].reduce((sum, each) => sum + each, 0);

function addBytes(directory: string, stored: Map<string, number>): void {
  try {
    for (const name of readdirSync(directory)) {
      const size = statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0;
      const owner = ownerOfFile(name);
      stored.set(owner, (stored.get(owner) ?? 0) + size);
    }
  } catch {
    // A directory that cannot be read shows when a write fails; a command must not end by it.
  }
}
