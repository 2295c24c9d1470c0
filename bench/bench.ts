import type { Figure } from './figure.ts';
import type { BenchPlace } from './place.ts';

export interface BenchInput {
  /** Opened on first use; a bench that needs no engine does not ask. */
  readonly place: () => Promise<BenchPlace>;
  /** Few rounds: to see that it works, not to quote. */
  readonly quick: boolean;
}

/** One thing that is measured. */
export interface Bench {
  readonly name: string;
  /** One line for people: what, and against what. */
  readonly about: string;
  run(input: BenchInput): AsyncIterable<Figure>;
}
