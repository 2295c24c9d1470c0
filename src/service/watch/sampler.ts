/**
 * Reads what the sandboxes of this process use, one share of them every half second and each of them every ten: a few files of the
 * kernel take some ten microseconds, and never all at once. A place that takes long is asked once a minute.
 */
import type { Context } from '../../sandbox/context.ts';
import type { SampleMinute } from '../../store/samples.ts';
import type { Samples, SamplesInput } from '../samples.ts';
import { type Ended, minuteOf, Series } from './series.ts';

const everyMs = 10_000;
const stepMs = 500;
const slowMs = 10;
const slowEveryMs = 60_000;
const patienceMs = 5000;

interface Watched {
  readonly series: Series;
  /** Resolves when the series has the minute that an earlier process has begun. */
  readonly resumed: Promise<void>;
  /** Resolves when it has all that earlier processes kept. `null`: it was not asked for. */
  whole: Promise<void> | null;
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
    const watched = this.#watched.get(id);
    await watched?.resumed;
    const series = watched?.series ?? new Series();
    const whole = watched?.whole ?? this.#precede(id, series);
    if (watched !== undefined) watched.whole = whole;
    await whole;
    return series.read(Date.now(), last);
  }

  /** A day takes some milliseconds to read, so that it is read for those who ask for it. */
  async #precede(id: string, series: Series): Promise<void> {
    const kept = await this.#context.store.samples.of(id, 0).catch(() => null);
    if (kept !== null) series.precede(kept);
  }

  #watch(id: string): Watched {
    const series = new Series();
    const resumed = this.#context.store.samples.of(id, minuteOf(Date.now())).then(
      ({ readings }) => series.resume(readings),
      () => undefined, // what is read from now on is worth more than none
    );
    const watched = { series, resumed, whole: null, dueMs: 0, slow: 0 };
    this.#watched.set(id, watched);
    return watched;
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
    const watched = this.#watched.get(id) ?? this.#watch(id);
    if (now < watched.dueMs) return;
    watched.dueMs = now + slowEveryMs;
    try {
      const found = await stats.read({ signal: AbortSignal.timeout(patienceMs) });
      watched.slow = performance.now() - now > slowMs ? watched.slow + 1 : 0;
      if (watched.slow < 2) watched.dueMs = 0;
      await watched.resumed;
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
