/** The pool of a state directory, as one process works on it. */
import type { Loaded, PoolEntry } from '../config/types.ts';
import type { Context } from '../sandbox/context.ts';
import { PoolClaims } from './claim.ts';
import { drain, membersIn } from './drain.ts';
import { entryOf } from './entries.ts';
import { Filler } from './filler.ts';
import type { Drained, PoolView } from './types.ts';

export class Pool {
  readonly claims: PoolClaims;
  readonly #loaded: Loaded;
  readonly #context: () => Context;
  #filler: Filler | null = null;
  #isKept = false;

  /** `context` is asked for when the pool is used first, since it holds the claims. */
  constructor(loaded: Loaded, context: () => Context) {
    this.#loaded = loaded;
    this.#context = context;
    this.claims = new PoolClaims({
      context,
      isConfigured: () => this.#entries.length > 0,
      onClaim: () => this.#filler?.wake(),
    });
  }

  /** Members are made and removed by this process from now on, as the configuration wants it. */
  keep(): void {
    this.#isKept = true;
    this.#fills.start();
  }

  /** Entries in the order of the configuration. */
  async list(): Promise<readonly PoolView[]> {
    const rows = await membersIn(this.#context());
    return this.#entries.map(([entry, given]) => {
      const count = (wanted: string): number =>
        rows.filter(({ pool, state }) => pool?.entry === entry && state === wanted).length;
      const error = this.#filler?.failureOf(entry)?.message ?? null;
      return {
        entry,
        ...this.#placeOf(given),
        size: given.size,
        ready: count('pooled'),
        making: count('creating'),
        error,
      };
    });
  }

  /** Makes what is missing now; resolves when this process has nothing more to make. */
  async fill(): Promise<readonly PoolView[]> {
    await this.#fills.round();
    return await this.list();
  }

  async drain(): Promise<Drained> {
    const context = this.#context();
    return { removed: await drain(context, await membersIn(context)) };
  }

  /** Those that no task has taken go with the process that kept them, unless the configuration has them stay. */
  async close(): Promise<void> {
    await this.#filler?.stop();
    if (this.#isKept && !this.#loaded.config.pool.keep) await this.drain();
  }

  get #entries(): readonly (readonly [string, PoolEntry])[] {
    return Object.entries(this.#loaded.config.pool.entries);
  }

  get #fills(): Filler {
    const context = this.#context();
    const entries = () =>
      this.#entries.map((entry) => ({ name: entry[0], read: () => entryOf(context, this.#loaded, entry) }));
    return (this.#filler ??= new Filler({ context, entries }));
  }

  #placeOf({ backend, image }: PoolEntry): Pick<PoolView, 'backend' | 'image'> {
    return { backend: backend ?? this.#loaded.config.terminal.backend, image: image ?? null };
  }
}
