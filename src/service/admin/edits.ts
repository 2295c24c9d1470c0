/**
 * The configuration file while a process is open: what an edit forbids holds from the next command on, all else waits for a
 * reload. So a rule that was set holds, and no other process can loosen by an edit what an admin has not read again.
 */
import type { Audit } from '../../audit/types.ts';
import { Freshness } from '../../config/freshness.ts';
import { nothingPending, pendingOf } from '../../config/pending.ts';
import type { Pending } from '../../config/pending-view.ts';
import type { Loaded } from '../../config/types.ts';
import { isCode, toCaissonError } from '../../errors.ts';
import type { Follower, Rulebook } from '../../guard/rulebook.ts';
import { actingAs, itself } from '../../lib/author.ts';
import { configEntry, keysOf } from './config-entry.ts';

export interface EditsDependencies {
  /** The configuration in force. */
  readonly loaded: Loaded;
  /** The file of this moment. Throws as the opening does. */
  readonly read: () => Promise<Loaded>;
  readonly rulebook: Pick<Rulebook, 'tighten' | 'since'>;
  readonly audit: Pick<Audit, 'recordSoon'>;
}

/** For commands that run while no new one comes. */
const lookEveryMs = 1000;
const pauseAfterFailureMs = 30_000;

export class Edits implements Follower {
  readonly #parts: EditsDependencies;
  readonly #freshness: Freshness;
  #taking: Promise<void> | null = null;
  /** The last state that could be read, and why the last one could not. */
  #file: Loaded | null = null;
  #problem: string | null = null;
  /** Since when networks of sandboxes that run lack what an edit denies, by `performance.now()`. In the future after a failure. */
  #networksWaitFrom = Infinity;

  constructor(parts: EditsDependencies) {
    this.#parts = parts;
    this.#freshness = new Freshness(parts.loaded.home, parts.loaded.source);
  }

  readonly isStale = (): boolean => this.#freshness.isStale();

  readonly take = async (): Promise<void> => {
    await this.#taking;
    if (!this.isStale()) return;
    this.#taking ??= actingAs(itself('file', 'the configuration file was edited'), () => this.#take()).finally(() => {
      this.#taking = null;
    });
    await this.#taking;
  };

  /** Looks at the file all the time, and gives running sandboxes what it denies. The answer ends that, and waits for the last look. */
  watch(takeNetwork: () => Promise<void>): () => Promise<void> {
    let looking: Promise<void> | null = null;
    const look = (): void => {
      looking ??= this.#look(takeNetwork).finally(() => (looking = null));
    };
    const timer = setInterval(look, lookEveryMs).unref();
    return async () => {
      clearInterval(timer);
      await looking;
    };
  }

  /** The file was read as a whole. */
  reloaded(source: string): void {
    this.#file = null;
    this.#problem = null;
    this.#freshness.tookSource(source);
  }

  async pending(): Promise<Pending> {
    if (this.isStale()) await this.take();
    const { loaded, rulebook } = this.#parts;
    if (this.#file === null && this.#problem === null) return nothingPending;
    const waits = this.#file === null ? nothingPending : pendingOf({ now: loaded, ...rulebook.since }, this.#file);
    return { ...waits, problem: this.#problem };
  }

  /** Never throws. */
  async #look(takeNetwork: () => Promise<void>): Promise<void> {
    await this.take();
    if (performance.now() < this.#networksWaitFrom) return;
    this.#networksWaitFrom = Infinity;
    await takeNetwork().catch(() => (this.#networksWaitFrom = performance.now() + pauseAfterFailureMs));
  }

  async #take(): Promise<void> {
    const { read, rulebook, audit } = this.#parts;
    const look = this.#freshness.look();
    try {
      const file = await read();
      if (await rulebook.tighten(file)) {
        audit.recordSoon(configEntry('tighten', this.#tightened(file)));
        this.#networksWaitFrom = performance.now();
      }
      this.#file = file;
      this.#problem = null;
    } catch (error) {
      const failure = toCaissonError(error);
      this.#problem = failure.message;
      // A file that could not be read may be readable the next time; a mistake in it stays until it is changed.
      if (!isCode(failure, 'invalid_argument')) return;
    }
    this.#freshness.took(look);
  }

  /** Keys, without their values. */
  #tightened(file: Loaded): readonly string[] {
    const { loaded, rulebook } = this.#parts;
    const { holds } = pendingOf({ now: loaded, ...rulebook.since }, file);
    return keysOf(holds);
  }
}
