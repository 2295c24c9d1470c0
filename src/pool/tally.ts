/** How claims of this process have ended. */
import type { PoolMiss } from '../values/caller.ts';

export class ClaimTally {
  hits = 0;
  readonly #misses = new Map<PoolMiss, number>();

  miss(reason: PoolMiss): void {
    this.#misses.set(reason, (this.#misses.get(reason) ?? 0) + 1);
  }

  get misses(): readonly { readonly reason: PoolMiss; readonly count: number }[] {
    return [...this.#misses].map(([reason, count]) => ({ reason, count }));
  }
}
