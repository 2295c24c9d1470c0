/**
 * How many commands of one owner, and of one token, run at the same time, whichever processes of the service run them. Detached
 * processes are among them until they end; whether they have is asked of their sandboxes only when no place is free.
 */
import type { Options } from '../api.ts';
import { CaissonError } from '../../errors.ts';
import { newNonce } from '../../exec/random.ts';
import type { Context } from '../../sandbox/context.ts';
import { ownerOf } from '../../values/owner.ts';
import { endedAmong } from './ended-processes.ts';

interface Bound {
  readonly group: string;
  readonly max: number;
  readonly message: string;
  readonly remedy: string;
}

export type Keep = (execId: string) => Promise<void>;

interface TakenPlace {
  readonly free: () => Promise<void>;
  readonly keep: Keep;
}

interface Who {
  readonly taskId: string;
  readonly caller: Options['caller'] | undefined;
}

const retryAfterSeconds = 1;
/** Also where nothing is limited now: the configuration may be read again while the process lives. */
const unlimited = Number.POSITIVE_INFINITY;

export class ExecPlaces {
  readonly #context: Context;
  /** Looks at the sandboxes of full groups: under way, or of the last second. */
  readonly #looks = new Map<string, Promise<void>>();

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Does the work on a place of its owner, which it keeps until what it gave has ended. Throws `resource_exhausted` before the
   * work begins when no place is free.
   */
  async during<T>(who: Who, work: () => Promise<T>, ended: (result: T) => Promise<unknown>): Promise<T> {
    const bounds = this.#boundsOf(who).filter(({ max }) => max !== unlimited);
    if (bounds.length === 0) return await work();
    const { free } = await this.#take(bounds);
    try {
      const result = await work();
      void ended(result).then(free, free);
      return result;
    } catch (error) {
      await free();
      throw error;
    }
  }

  /** Does the work on a place as `during` does; the work hands the place over to a detached process by its id. */
  async keeping<T>(who: Who, work: (keep: Keep) => Promise<T>): Promise<T> {
    const { free, keep } = await this.#take(this.#boundsOf(who));
    try {
      return await work(keep);
    } finally {
      await free();
    }
  }

  #boundsOf({ taskId, caller }: Who): readonly Bound[] {
    const owner = ownerOf(taskId);
    const { execs: max = unlimited } = this.#context.allowed(owner);
    const ofOwner = {
      max,
      group: `execs.${owner}`,
      message: `${owner} runs as many commands as the limit execs allows`,
      remedy: `wait until one has ended, or raise owners.${owner}.execs`,
    };
    const ofToken = {
      group: `execs.${caller?.token ?? ''}`,
      message: 'this token runs as many commands as its limit execs allows',
      remedy: 'wait until one has ended',
    };
    return [ofOwner, ...(caller === undefined ? [] : [{ ...ofToken, max: caller.execs ?? unlimited }])];
  }

  /** Gives back what frees them. A store that fails then has them end with this process. */
  async #take(bounds: readonly Bound[]): Promise<TakenPlace> {
    const { store } = this.#context;
    const place = newNonce();
    const taken: string[] = [];
    const free = async (): Promise<void> => {
      for (const group of taken) await store.places.give(group, place).catch(() => undefined);
    };
    for (const { group, max, message, remedy } of bounds) {
      if ((await store.places.take(group, place, max)) || (await this.#tookAfterLook({ group, place, max }))) {
        taken.push(group);
        continue;
      }
      await free();
      throw new CaissonError('resource_exhausted', message, {
        remedy,
        details: { limit: 'execs', most: max, retryAfterSeconds },
      });
    }
    const keep: Keep = async (execId) => {
      for (const group of [...taken]) {
        await store.places.keep(group, place, execId);
        taken.shift();
      }
    };
    return { free, keep };
  }

  async #tookAfterLook({ group, place, max }: Pick<Bound, 'group' | 'max'> & { readonly place: string }) {
    const { store } = this.#context;
    if (max === 0 || (await store.places.kept(group)).length === 0) return false;
    await (this.#looks.get(group) ?? this.#look(group));
    return await store.places.take(group, place, max);
  }

  /** Requests that come while it goes on, and in the second after it, use its answer. */
  async #look(group: string): Promise<void> {
    const { store } = this.#context;
    const look = async (): Promise<void> => {
      await store.places.giveKept(await endedAmong(this.#context, await store.places.kept(group)));
    };
    const looking = look().catch(() => undefined); // what cannot be asked counts
    this.#looks.set(group, looking);
    await looking;
    setTimeout(() => this.#looks.delete(group), retryAfterSeconds * 1000).unref();
  }
}
