/** How much an exec may still write, on both streams together. */
export class OutputLimit {
  #left: number;
  readonly #onSpent: () => void;
  #spent = false;

  /** `onSpent` is called once, with the first byte beyond the limit. `null`: no limit. */
  constructor(limitBytes: number | null, onSpent: () => void) {
    this.#left = limitBytes ?? Number.POSITIVE_INFINITY;
    this.#onSpent = onSpent;
  }

  /** How many of `bytes` may be delivered. */
  take(bytes: number): number {
    const allowed = Math.min(bytes, this.#left);
    this.#left -= allowed;
    if (allowed < bytes && !this.#spent) {
      this.#spent = true;
      this.#onSpent();
    }
    return allowed;
  }
}
