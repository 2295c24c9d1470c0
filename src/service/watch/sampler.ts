/**
 * Reads what the sandboxes of this process use, one share of them every half second and each of them every ten: a few files of the
 * kernel take some ten microseconds, and never all at once. A place that takes long is asked once a minute.
 */
import type { Context } from '../../sandbox/context.ts';
import type { SampleMinute } from '../../store/samples.ts';
import type { Samples, SamplesInput } from '../samples.ts';
import { type Ended, Series } from './series.ts';

const everyMs = 10_000;
const stepMs = 500;
const slowMs = 10;
const slowEveryMs = 60_000;
const patienceMs = 5000;

interface Watched {
  readonly series: Series;
  /** Resolves when the series has what an earlier process kept. */
  readonly restored: Promise<void>;
  /** Monotonic. */
  dueMs: number;
  /** Readings in a row that took long. One may be the host's. */
  slow: number;
}

export class Sampler {
  readonly #context: Pick<Context, 'live' | 'store'>;
  readonly #watched = new Map<string, Watched>();
  /** Minutes that wait to be kept. */
  readonly #ended: SampleMinute[] = [];
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

  /** Keeps minutes that are not over too. */
  stop(): void {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    for (const [id, { series }] of this.#watched) this.#keep(id, series.open);
    this.#write();
  }

  async of(id: string, { last }: SamplesInput): Promise<Samples> {
    const { series, restored } = this.#watched.get(id) ?? this.#restore(id);
    await restored;
    return series.read(Date.now(), last);
  }

  #restore(id: string): Pick<Watched, 'series' | 'restored'> {
    const series = new Series();
    const restored = this.#context.store.samples.of(id).then(
      (kept) => series.restore(kept),
      () => undefined, // what is read from now on is worth more than none
    );
    return { series, restored };
  }

  #keep(sandboxId: string, ended: Ended | null): void {
    if (ended !== null) this.#ended.push({ sandboxId, ...ended });
  }

  /** What cannot be written is missing after the next start. */
  #write(): void {
    const minutes = this.#ended.splice(0);
    if (minutes.length > 0) void this.#context.store.samples.add(minutes).catch(() => undefined);
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
    this.#write();
  }

  async #read(id: string): Promise<void> {
    const now = performance.now();
    const stats = this.#context.live.get(id)?.stats;
    if (stats === undefined) return;
    const watched = this.#watched.get(id) ?? { ...this.#restore(id), dueMs: 0, slow: 0 };
    if (now < watched.dueMs) return;
    this.#watched.set(id, watched);
    watched.dueMs = now + slowEveryMs;
    try {
      const found = await stats.read({ signal: AbortSignal.timeout(patienceMs) });
      watched.slow = performance.now() - now > slowMs ? watched.slow + 1 : 0;
      if (watched.slow < 2) watched.dueMs = 0;
      await watched.restored;
      this.#keep(id, watched.series.add({ stats: found, atMs: Date.now() }));
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
