/** Limits on what callers can make grow, and who uses how much of them. Types only. */
import type { BudgetName } from './kinds.ts';

export type { BudgetName };

export interface Limits {
  /** Most over all owners together. `null`: no limit. */
  readonly total: number | null;
  /** Most of each owner; the operator has the total. `null`: no limit. */
  readonly perOwner: number | null;
}

/** What an owner holds of a budget until it is freed. */
export interface Share {
  /** Amount that the owner holds by this share, in the unit of the budget. */
  readonly amount: number;
  /** Takes more. Throws `resource_exhausted`, and keeps what it has then. */
  grow(amount: number): void;
  /** Has so much from then on: takes more as `grow` does, or gives some back. */
  resize(amount: number): void;
  /** Gives all of it back. Does nothing the second time. */
  free(): void;
}

export interface Wait {
  /** Amount to wait for, in the unit of the budget. Default 1. */
  readonly amount?: number;
  /** Gives up waiting. */
  readonly signal?: AbortSignal | undefined;
}

export interface Budget {
  /** Throws `resource_exhausted` where the owner, or all owners together, would hold more than they may. */
  take(owner: string, amount?: number): Share;
  /**
   * Waits until the amount is free. Of the owners that wait, the one that holds the least is next, and its oldest request. Rejects
   * with `resource_exhausted` for more than the owner may ever hold, and for too many requests that wait; with the reason of the signal.
   */
  wait(owner: string, wait?: Wait): Promise<Share>;
}

/** Why something was refused: the owner has reached its limit, all owners together have, or too many requests wait. */
export type Reason = 'owner' | 'total' | 'waiting';

export interface BudgetFigures extends Limits {
  /** Name of the budget, as under `server.limits`. */
  readonly name: BudgetName;
  /** Amount that all owners hold together. */
  readonly used: number;
  /** Requests that wait for their turn. */
  readonly waiting: number;
  /** Since the process began. */
  readonly refused: Readonly<Record<Reason, number>>;
  /** The owner that holds the most of it now. `null`: no owner holds any. */
  readonly largest: { readonly owner: string; readonly used: number } | null;
  /** The owner that was refused last. `null`: no owner was. */
  readonly lastRefused: { readonly owner: string; readonly agoMs: number } | null;
}
