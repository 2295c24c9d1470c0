/** Requests of owners and tokens in a minute, in bounded memory. Each process counts what comes to it. */
import { CaissonError } from '../../errors.ts';
import { WindowCounts } from '../../lib/window-counts.ts';

const windowMs = 60_000;
/** There is one for each owner, and each token with a limit of its own, that has called within a minute. */
const maxCounted = 10_000;

export interface RequestBound {
  /** `owner alice`, `token tok_...` */
  readonly of: string;
  readonly max: number;
}

export class Requests {
  readonly #counts: WindowCounts;

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number) {
    this.#counts = new WindowCounts({ windowMs, maxNames: maxCounted, nowMs });
  }

  get size(): number {
    return this.#counts.size;
  }

  /** Counts one more for each. Throws `resource_exhausted` with the seconds until the next may come. */
  count(bounds: readonly RequestBound[]): void {
    const counted = bounds.map((bound) => ({ bound, counted: this.#counts.of(bound.of) }));
    const full = counted.find((each) => each.counted.count >= each.bound.max);
    if (full !== undefined) throw rateLimitError(full.bound, this.#counts.secondsLeft(full.counted));
    for (const each of counted) each.counted.count++;
  }
}

function rateLimitError({ of, max }: RequestBound, retryAfterSeconds: number): CaissonError {
  return new CaissonError('resource_exhausted', `the limit requests_per_minute of the ${of} is reached`, {
    remedy: `try again in ${retryAfterSeconds} s`,
    details: { limit: 'requests_per_minute', most: max, retryAfterSeconds },
  });
}
