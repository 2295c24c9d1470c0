/** Who works on what. Part of the contract of the store. */

export interface Holder {
  readonly id: string;
  readonly pid: number | null;
  readonly host: string;
  readonly alive: boolean;
}

export interface Leases {
  /**
   * Takes a lease for this holder. True when it is held afterwards: it was free, or its holder is dead. False when a live
   * holder has it, also when that holder is this one: a lease is a lock, not a count.
   */
  acquire(key: string): Promise<boolean>;
  /** Gives a lease back. Does nothing when this holder does not have it. */
  release(key: string): Promise<void>;
  /** Who holds it now, dead or alive. */
  holder(key: string): Promise<Holder | null>;
  /** Whether that holder lives. */
  isAlive(holder: string): Promise<boolean>;
}
