/**
 * Bounds how many sandboxes are made and removed at once in one place, first in, first out. An engine asked for a hundred
 * containers at once gives the first one after all hundred are nearly done; asked for twice its cores at a time it takes
 * no longer in all, and the median caller waits a fraction. For the same reason no caller waits for a sandbox while one that
 * is no longer wanted is removed: removals come after, but never so late that a steady stream of callers piles them up.
 */
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import PQueue from 'p-queue';

/** How long callers may go before a removal. */
const removalPatienceMs = 10_000;
const [first, last] = [1, 0];

export class Gate {
  readonly #queues = new Map<string, PQueue>();
  readonly #concurrency: number;

  /** `null`: twice the cores of this host. */
  constructor(concurrency: number | null) {
    this.#concurrency = concurrency ?? 2 * availableParallelism();
  }

  /** Rejects with the signal's reason when it fires before `work` was admitted. */
  async pass<T>(place: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return await this.#queue(place).add(work, { priority: first, ...(signal === undefined ? {} : { signal }) });
  }

  async passLast<T>(place: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queue(place);
    const id = randomUUID();
    const overdue = setTimeout(() => promote(queue, id), removalPatienceMs).unref();
    try {
      return await queue.add(work, { priority: last, id });
    } finally {
      clearTimeout(overdue);
    }
  }

  /** How many work and how many wait, by place. */
  figures(): readonly { readonly backend: string; readonly running: number; readonly waiting: number }[] {
    return [...this.#queues].map(([backend, { pending, size }]) => ({ backend, running: pending, waiting: size }));
  }

  #queue(place: string): PQueue {
    const known = this.#queues.get(place);
    if (known !== undefined) return known;
    const queue = new PQueue({ concurrency: this.#concurrency });
    this.#queues.set(place, queue);
    return queue;
  }
}

function promote(queue: PQueue, id: string): void {
  try {
    queue.setPriority(id, first + 1);
  } catch {
    // It has been admitted meanwhile.
  }
}
