/**
 * Reads what the sandboxes of this process use, one share of them every half second and each of them every ten: a few files of the
 * kernel take some ten microseconds, and never all at once. A place that takes long is asked once a minute.
 */
import type { Context } from '../../sandbox/context.ts';
import type { Samples, SamplesInput } from '../samples.ts';
import { Series } from './series.ts';

const everyMs = 10_000;
const stepMs = 500;
const slowMs = 10;
const slowEveryMs = 60_000;
const patienceMs = 5000;

interface Watched {
  readonly series: Series;
  /** Monotonic. */
  dueMs: number;
  /** Readings in a row that took long. One may be the host's. */
  slow: number;
}

export class Sampler {
  readonly #context: Pick<Context, 'live' | 'store'>;
  readonly #watched = new Map<string, Watched>();
  #waiting: string[] = [];
  #share = 1;
  #roundMs = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(context: Pick<Context, 'live' | 'store'>) {
    this.#context = context;
  }

  /** From now on, until it is stopped. Idempotent. */
  begin(): void {
    this.#timer ??= setInterval(() => this.#step(), stepMs).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  of(id: string, { last }: SamplesInput): Samples {
    return this.#watched.get(id)?.series.read(Date.now(), last) ?? { recent: [], minutes: [] };
  }

  #step(): void {
    const now = performance.now();
    if (this.#waiting.length === 0 && now >= this.#roundMs) {
      this.#roundMs = now + everyMs;
      this.#waiting = [...this.#context.live.keys()];
      this.#share = Math.ceil((this.#waiting.length * stepMs) / everyMs);
      void this.#forget();
    }
    for (const id of this.#waiting.splice(0, this.#share)) void this.#read(id);
  }

  async #read(id: string): Promise<void> {
    const now = performance.now();
    const stats = this.#context.live.get(id)?.stats;
    if (stats === undefined) return;
    const watched = this.#watched.get(id) ?? { series: new Series(), dueMs: 0, slow: 0 };
    if (now < watched.dueMs) return;
    this.#watched.set(id, watched);
    watched.dueMs = now + slowEveryMs;
    try {
      const found = await stats.read({ signal: AbortSignal.timeout(patienceMs) });
      watched.slow = performance.now() - now > slowMs ? watched.slow + 1 : 0;
      if (watched.slow < 2) watched.dueMs = 0;
      watched.series.add({ stats: found, atMs: Date.now() });
    } catch {
      // It has stopped, or its place is away: there is a gap, and the next minute tries again.
    }
  }

  /** Samples of a sandbox that is gone go with it; one that is stopped keeps them. */
  async #forget(): Promise<void> {
    for (const id of this.#watched.keys())
      if (!this.#context.live.has(id)) {
        const row = await this.#context.store.sandboxes.find(id).catch(() => undefined);
        if (row === null) this.#watched.delete(id);
      }
  }
}
