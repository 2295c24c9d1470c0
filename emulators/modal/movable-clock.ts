/** The time of the service, which its fault control can move forward: limits of days are then seen in a moment. */
export class MovableClock {
  readonly #waiting = new Set<() => void>();
  #aheadMs = 0;

  nowMs(): number {
    return Date.now() + this.#aheadMs;
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
    for (const look of [...this.#waiting]) look();
  }

  /** Calls once that moment is there. Returns what takes it back. */
  at(momentMs: number, call: () => void): () => void {
    let timer: NodeJS.Timeout | null = null;
    const cancel = (): void => {
      this.#waiting.delete(look);
      if (timer !== null) clearTimeout(timer);
    };
    const look = (): void => {
      if (timer !== null) clearTimeout(timer);
      const leftMs = momentMs - this.nowMs();
      if (leftMs > 0) {
        timer = setTimeout(look, Math.min(leftMs, 2 ** 31 - 1));
        return;
      }
      cancel();
      call();
    };
    this.#waiting.add(look);
    look();
    return cancel;
  }
}
