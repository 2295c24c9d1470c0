/**
 * Bounds how many sandboxes are made at once in one place, first in, first out. An engine asked for a hundred containers
 * at once gives the first one after all hundred are nearly done; asked for twice its cores at a time it takes no longer
 * in all, and the median caller waits a fraction.
 */
import { availableParallelism } from 'node:os';
import PQueue from 'p-queue';

export class Gate {
  readonly #queues = new Map<string, PQueue>();
  readonly #concurrency: number;

  /** `null`: twice the cores of this host. */
  constructor(concurrency: number | null) {
    this.#concurrency = concurrency ?? 2 * availableParallelism();
  }

  /** Rejects with the signal's reason when it fires before `work` was admitted. */
  async pass<T>(place: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return await this.#queue(place).add(work, signal === undefined ? {} : { signal });
  }

  #queue(place: string): PQueue {
    const known = this.#queues.get(place);
    if (known !== undefined) return known;
    const queue = new PQueue({ concurrency: this.#concurrency });
    this.#queues.set(place, queue);
    return queue;
  }
}
