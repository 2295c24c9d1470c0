/** The execs that this process runs, until each has settled; all of them end when the service closes. */
import type { Running } from '../api.ts';
import { CaissonError } from '../../errors.ts';
import type { Stage } from '../closing.ts';

export interface Clearing {
  /** What the exec brought with it is cleared away. Rejects where that failed. */
  readonly settled: Promise<void>;
  /** The place goes on with it by itself. Stays pending where it does not. */
  readonly left: Promise<void>;
}

interface Entry extends Clearing {
  readonly running: Running;
}

export class RunningExecs {
  readonly #entries = new Map<string, Entry>();
  readonly #launching = new Set<Promise<Running>>();
  readonly #closing = new AbortController();
  readonly #givenUp = new AbortController();

  get size(): number {
    return this.#entries.size;
  }

  /** Fires when the service closes: what has not begun then does not begin. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Fires when the service has waited long enough: removals that still wait for a lease or a place are left. */
  get givenUp(): AbortSignal {
    return this.#givenUp.signal;
  }

  async launching(launch: Promise<Running>): Promise<Running> {
    this.#launching.add(launch);
    return await launch.finally(() => this.#launching.delete(launch));
  }

  add(running: Running, clearing: Clearing): void {
    this.#entries.set(running.id, { running, ...clearing });
    // A failed removal is recorded in the row and finished by the next sweep; `settled` reports it to those who wait.
    clearing.settled.finally(() => this.#entries.delete(running.id)).catch(() => undefined);
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

  /** Ends every exec, with the reason `canceled`. Removals that the place finishes by itself are waited for, or not. */
  ending({ awaitRemovals }: { readonly awaitRemovals: boolean }): readonly Stage[] {
    let entries: readonly Entry[] = [];
    return [
      () => {
        this.#closing.abort(new CaissonError('canceled', 'the service was closed'));
        return [...this.#launching].map((launch) => ({
          what: 'the start of a command',
          // A start that fails is reported to its caller.
          ended: launch.catch(() => undefined),
        }));
      },
      () => {
        entries = [...this.#entries.values()];
        return entries.map(({ running }) => ({ what: `the end of ${running.id}`, ended: running.cancel() }));
      },
      () =>
        entries.map(({ running, settled, left }) => ({
          what: `what ${running.id} leaves in ${running.where.sandboxId}`,
          ended: awaitRemovals ? settled : Promise.race([settled, left]),
        })),
    ];
  }

  giveUp(): void {
    this.#givenUp.abort(new CaissonError('canceled', 'the service was closed'));
  }
}
