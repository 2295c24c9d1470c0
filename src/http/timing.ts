/** The header Server-Timing (w3.org/TR/server-timing): what is known when the head of an answer goes. */
import type { Options } from '../service/api.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Route } from './route.ts';

type Timed = NonNullable<Options['onTimed']>;

export class Timing {
  readonly #beginMs = performance.now();
  /** A sandbox that had vanished is made, and a command started, twice. */
  readonly #ms = new Map<string, number>();

  readonly #metrics: Pick<Metrics, 'step'>;

  constructor(metrics: Pick<Metrics, 'step'>) {
    this.#metrics = metrics;
  }

  readonly add: Timed = (phase, ms) => {
    this.#ms.set(phase, (this.#ms.get(phase) ?? 0) + ms);
    this.#metrics.step(phase, ms);
  };

  /** A stream begins. */
  begins(): void {
    this.#metrics.step('first_byte', performance.now() - this.#beginMs);
  }

  /** `total` is the time to the first byte of the answer. */
  header(): string {
    const all = [...this.#ms, ['total', performance.now() - this.#beginMs] as const];
    return all.map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`).join(', ');
  }
}

/** Routes of sandboxes, their commands and files. */
export const isTimed = ({ path }: Pick<Route, 'path'>): boolean =>
  path.startsWith('/v1/sandboxes') || path.startsWith('/v1/execs');
