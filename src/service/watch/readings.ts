/** Readings of what sandboxes use, kept so that a place that is slow to tell is asked less often, and that rates are known. */
import type { Stats } from '../../backend.ts';
import { CaissonError, toCaissonError } from '../../errors.ts';
import { type Context, cancelable } from '../../sandbox/context.ts';
import { presentSandbox } from '../../sandbox/present.ts';
import type { SandboxRow } from '../../store/store.ts';

export interface Reading {
  readonly stats: Stats | null;
  readonly why: string | null;
  readonly cpuCores: number | null;
}

interface KeptReading {
  readonly reading: Reading;
  readonly atMs: number;
  readonly tookMs: number;
}

/** A place that takes longer is a service or an engine, and not a file of this host. */
const slowMs = 10;
const slowEveryMs = 5000;
/** Older than this, a rate says nothing about now. */
const rateMs = 120_000;
const minRateMs = 100;
const patienceMs = 5000;
const none: Reading = { stats: null, why: null, cpuCores: null };

export class Readings {
  readonly #context: Context;
  readonly #kept = new Map<string, KeptReading>();

  constructor(context: Context) {
    this.#context = context;
  }

  async of(row: SandboxRow, signal?: AbortSignal): Promise<Reading> {
    if (row.state !== 'ready') return none;
    const before = this.#kept.get(row.id);
    const now = performance.now();
    if (before !== undefined && before.tookMs > slowMs && now - before.atMs < slowEveryMs) return before.reading;
    const stats = await this.#read(row, signal);
    const atMs = performance.now();
    const cpuCores = stats instanceof CaissonError ? null : rateOf(stats, before, atMs);
    const reading = stats instanceof CaissonError ? { ...none, why: stats.message } : { ...none, stats, cpuCores };
    this.#kept.set(row.id, { reading, atMs, tookMs: atMs - now });
    return reading;
  }

  /** Forgets sandboxes that are gone. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#kept.keys()) if (!ids.has(id)) this.#kept.delete(id);
  }

  async #read(row: SandboxRow, signal?: AbortSignal): Promise<Stats | CaissonError> {
    const late = AbortSignal.timeout(patienceMs);
    const options = cancelable({ signal: signal === undefined ? late : AbortSignal.any([signal, late]) });
    try {
      const sandbox = await presentSandbox(this.#context, row, options);
      if (sandbox === null)
        return new CaissonError('failed_precondition', 'it does not run, though it is on record as ready');
      return sandbox.stats === undefined
        ? new CaissonError('not_supported', 'its backend has no usage figures')
        : await sandbox.stats.read(options);
    } catch (error) {
      signal?.throwIfAborted();
      return toCaissonError(error);
    }
  }
}

function rateOf({ cpuNanos }: Stats, before: KeptReading | undefined, atMs: number): number | null {
  const earlier = before?.reading.stats?.cpuNanos ?? null;
  const passedMs = atMs - (before?.atMs ?? 0);
  if (cpuNanos === null || earlier === null || passedMs < minRateMs || passedMs > rateMs) return null;
  return Math.max(0, (cpuNanos - earlier) / 1e6 / passedMs);
}
