/** The execs that this process runs, until each has settled; all of them end when the service closes. */
import type { Running } from '../api.ts';
import { CaissonError } from '../../errors.ts';

interface Entry {
  readonly running: Running;
  readonly settled: Promise<void>;
}

export class RunningExecs {
  readonly #entries = new Map<string, Entry>();
  readonly #launching = new Set<Promise<Running>>();
  readonly #closing = new AbortController();

  /** Fires when the service closes: what has not begun then does not begin. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  async launching(launch: Promise<Running>): Promise<Running> {
    this.#launching.add(launch);
    return await launch.finally(() => this.#launching.delete(launch));
  }

  /** `settled`: until what the exec brought with it is cleared away. */
  add(running: Running, settled: Promise<void>): void {
    this.#entries.set(running.id, { running, settled });
    // A failed removal is recorded in the row and finished by the next sweep; `settled` reports it to those who wait.
    settled.finally(() => this.#entries.delete(running.id)).catch(() => undefined);
  }

  /** Resolves when the use of an exec has ended, and its sandbox is removed when that was ephemeral. */
  async settled(execId: string): Promise<void> {
    await this.#entries.get(execId)?.settled;
  }

  /** Whether this process runs the exec; it is ended. */
  async cancel(execId: string): Promise<boolean> {
    const found = this.#entries.get(execId);
    await found?.running.cancel();
    return found !== undefined;
  }

  /** Ends every exec, with the reason `canceled`. */
  async close(): Promise<void> {
    this.#closing.abort(new CaissonError('canceled', 'the service was closed'));
    await Promise.allSettled(this.#launching);
    const entries = [...this.#entries.values()];
    await Promise.all(entries.map(({ running }) => running.cancel()));
    await Promise.all(entries.map(({ settled }) => settled));
  }
}
