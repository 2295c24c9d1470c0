/** The pool as callers see it. Types only: nothing is loaded by importing this. */

/** One entry of the configuration. */
export interface PoolView {
  /** Name of the entry. */
  readonly entry: string;
  /** Name of the backend. */
  readonly backend: string;
  /** Image that the entry names. `null`: the usual one of the backend. */
  readonly image: string | null;
  /** Members that the entry wants. */
  readonly size: number;
  /** Members that stand ready. */
  readonly ready: number;
  /** Members that are being made. */
  readonly making: number;
  /** Reason why the process that answers could not make the last one. `null`: it has not failed. */
  readonly error: string | null;
}

export interface Drained {
  /** Members that are gone. */
  readonly removed: number;
}
