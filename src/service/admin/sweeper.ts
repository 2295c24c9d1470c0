/** Sweeps the state directory every half minute, one round after the other. */
import { sweep } from '../../sandbox/sweep.ts';
import { endCutOff } from '../exec/cut-off.ts';
import { tidyHome, type TidyDependencies } from './tidy.ts';

const sweepEveryMs = 30_000;

export class Sweeper {
  readonly #parts: TidyDependencies;
  readonly #timer: NodeJS.Timeout;
  #sweeping: Promise<void>;

  constructor(parts: TidyDependencies) {
    this.#parts = parts;
    this.#sweeping = this.#sweep();
    this.#timer = setInterval(() => {
      this.#sweeping = this.#sweeping.then(() => this.#sweep());
    }, sweepEveryMs).unref();
  }

  /** Until the round that goes on has ended. Never rejects. */
  async settled(): Promise<void> {
    await this.#sweeping;
  }

  /** No round begins any more. */
  stop(): void {
    clearInterval(this.#timer);
  }

  async #sweep(): Promise<void> {
    try {
      const { context, journal } = this.#parts;
      await sweep(context);
      await endCutOff(context.store, journal);
      await tidyHome(this.#parts);
    } catch {
      // A store that cannot be read now fails every verb with its own error; the next round tries again.
    }
  }
}
