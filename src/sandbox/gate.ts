/**
 * Bounds how many sandboxes are made and removed at once in one place. An engine asked for a hundred
 * containers at once gives the first one after all hundred are nearly done; asked for twice its cores at a time it takes
 * no longer in all, and the median caller waits a fraction. For the same reason no caller waits for a sandbox while one that
 * is no longer wanted is removed: removals come after, but never so late that a steady stream of callers piles them up.
 */
import { availableParallelism } from 'node:os';
import { Turns } from './turns.ts';

/** Whose sandbox is made. `signal`: of the caller, who may give up waiting. */
interface Asker {
  readonly owner: string;
  readonly signal?: AbortSignal | undefined;
}

export class Gate {
  readonly #places = new Map<string, Turns>();
  readonly #concurrency: number;

  /** `null`: twice the cores of this host. */
  constructor(concurrency: number | null) {
    this.#concurrency = concurrency ?? 2 * availableParallelism();
  }

  /** Rejects with the signal's reason when it fires before `work` was admitted. */
  async pass<T>(place: string, work: () => Promise<T>, { owner, signal }: Asker): Promise<T> {
    const done = await this.#turns(place).take(owner, signal);
    return await work().finally(done);
  }

  async passLast<T>(place: string, work: () => Promise<T>): Promise<T> {
    const done = await this.#turns(place).takeLast();
    return await work().finally(done);
  }

  /** How many work and how many wait, by place. */
  figures(): readonly { readonly backend: string; readonly running: number; readonly waiting: number }[] {
    return [...this.#places].map(([backend, { running, waiting }]) => ({ backend, running, waiting }));
  }

  #turns(place: string): Turns {
    const known = this.#places.get(place);
    if (known !== undefined) return known;
    const turns = new Turns(this.#concurrency);
    this.#places.set(place, turns);
    return turns;
  }
}
