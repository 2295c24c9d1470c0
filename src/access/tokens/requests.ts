/** Requests of owners and tokens in a minute, in bounded memory. Each process counts what comes to it. */
import { CaissonError } from '../../errors.ts';

const windowMs = 60_000;
/** There is one for each owner, and each token with a limit of its own, that has called within a minute. */
const mostCounted = 10_000;

interface Seen {
  readonly sinceMs: number;
  count: number;
}

export interface RequestBound {
  /** `owner alice`, `token tok_...` */
  readonly of: string;
  readonly most: number;
}

export class Requests {
  readonly #seen = new Map<string, Seen>();
  readonly #nowMs: () => number;

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#seen.size;
  }

  /** Counts one more for each. Throws `resource_exhausted` with the seconds until the next may come. */
  count(bounds: readonly RequestBound[]): void {
    const seen = bounds.map((bound) => ({ ...bound, seen: this.#of(bound.of) }));
    for (const { of, most, seen: counted } of seen)
      if (counted.count >= most) throw this.#beyond({ of, most }, counted);
    for (const { seen: counted } of seen) counted.count++;
  }

  #of(name: string): Seen {
    const now = this.#nowMs();
    const known = this.#seen.get(name);
    const seen = known === undefined || now - known.sinceMs >= windowMs ? { sinceMs: now, count: 0 } : known;
    this.#seen.delete(name);
    if (this.#seen.size >= mostCounted) this.#forgetOldest();
    this.#seen.set(name, seen);
    return seen;
  }

  #beyond({ of, most }: RequestBound, { sinceMs }: Seen): CaissonError {
    const retryAfterSeconds = Math.max(1, Math.ceil((windowMs - (this.#nowMs() - sinceMs)) / 1000));
    return new CaissonError('resource_exhausted', `the limit requests_per_minute of the ${of} is reached`, {
      remedy: `try again in ${retryAfterSeconds} s`,
      details: { limit: 'requests_per_minute', most, retryAfterSeconds },
    });
  }

  #forgetOldest(): void {
    for (const name of this.#seen.keys()) {
      this.#seen.delete(name);
      return;
    }
  }
}
