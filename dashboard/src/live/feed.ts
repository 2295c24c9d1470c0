/** Changes of state as they come: one stream for all of the page, which begins again when it breaks. */
import type { CaissonClient } from 'caisson/client';
import { Denials } from './denials.ts';

type Events = Pick<CaissonClient['events'], 'follow' | 'kept'>;
type Change = Events['follow'] extends (...args: never[]) => AsyncIterable<infer Each> ? Each : never;

/** The first change is seen soon; what follows it at once is one look more, however much it is. */
const soonMs = 200;
const coalesceMs = 2000;
const againMs = 3000;
const denialMs = 60_000;

export class Feed {
  readonly #listeners = new Set<() => void>();
  readonly #denials = new Denials();
  readonly #leaving = new AbortController();
  #toldMs = -coalesceMs;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(events: Events) {
    void this.#run(events);
  }

  /** The listener is called soon after a change, once for many. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Connections of the task that were denied within the last minute. */
  denials(task: string, nowMs: number): number {
    return this.#denials.of(task, nowMs);
  }

  close(): void {
    this.#leaving.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** From the newest on, each time: views load what they show, and need no event of before. */
  async #run(events: Events): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      try {
        const { newest } = await events.kept();
        this.#tell();
        for await (const change of events.follow({ after: newest, follow: true }, { signal })) this.#take(change);
      } catch {
        // The service is away, or this reader was slower than what happens.
      }
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }

  #take({ type, at, data }: Change): void {
    const { taskId, count } = data;
    const time = Date.parse(at);
    if (type === 'network.denied' && typeof taskId === 'string' && Date.now() - time < denialMs)
      this.#denials.add(taskId, typeof count === 'number' ? count : 1, time);
    this.#tell();
  }

  #tell(): void {
    const waitMs = Math.max(soonMs, this.#toldMs + coalesceMs - performance.now());
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#toldMs = performance.now();
      this.#denials.forget(Date.now());
      for (const listener of this.#listeners) listener();
    }, waitMs);
  }
}
