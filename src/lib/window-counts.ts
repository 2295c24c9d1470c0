/** How often something came within a window of time, by name, in bounded memory: the one that came least lately is forgotten. */
interface Counted {
  readonly sinceMs: number;
  count: number;
}

interface Settings {
  readonly windowMs: number;
  readonly maxNames: number;
  /** Monotonic. */
  readonly nowMs: () => number;
}

export class WindowCounts {
  readonly #counted = new Map<string, Counted>();
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  get size(): number {
    return this.#counted.size;
  }

  /** The count of the window that goes on, or of a new one. The caller counts. */
  of(name: string): Counted {
    const { windowMs, maxNames, nowMs } = this.#settings;
    const now = nowMs();
    const known = this.#counted.get(name);
    const counted = known === undefined || now - known.sinceMs >= windowMs ? { sinceMs: now, count: 0 } : known;
    this.#counted.delete(name);
    const [oldest] = this.#counted.size >= maxNames ? this.#counted.keys() : [];
    if (oldest !== undefined) this.#counted.delete(oldest);
    this.#counted.set(name, counted);
    return counted;
  }

  /** Whole seconds until the window ends. */
  secondsLeft({ sinceMs }: Counted): number {
    const { windowMs, nowMs } = this.#settings;
    return Math.max(1, Math.ceil((windowMs - (nowMs() - sinceMs)) / 1000));
  }
}
