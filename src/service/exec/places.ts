/** How many commands of one owner, and of one token, run at the same time, whichever processes of the service run them. */
import type { Options } from '../api.ts';
import { CaissonError } from '../../errors.ts';
import { newNonce } from '../../exec/random.ts';
import type { Context } from '../../sandbox/context.ts';
import { ownerOf } from '../../values/owner.ts';

interface Bound {
  readonly group: string;
  readonly most: number;
  readonly message: string;
  readonly remedy: string;
}

const retryAfterSeconds = 1;

export class ExecPlaces {
  readonly #context: Pick<Context, 'store' | 'allowed'>;

  constructor(context: Pick<Context, 'store' | 'allowed'>) {
    this.#context = context;
  }

  /**
   * Does the work on a place of its owner, which it keeps until what it gave has ended. Throws `resource_exhausted` before the
   * work begins when no place is free.
   */
  async during<T>(
    { taskId, caller }: { readonly taskId: string; readonly caller: Options['caller'] | undefined },
    work: () => Promise<T>,
    ended: (result: T) => Promise<unknown>,
  ): Promise<T> {
    const bounds = this.#boundsOf(taskId, caller);
    if (bounds.length === 0) return await work();
    const free = await this.#take(bounds);
    try {
      const result = await work();
      void ended(result).then(free, free);
      return result;
    } catch (error) {
      await free();
      throw error;
    }
  }

  #boundsOf(taskId: string, caller: Options['caller'] | undefined): readonly Bound[] {
    const owner = ownerOf(taskId);
    const { execs } = this.#context.allowed(owner);
    const ofOwner = {
      group: `execs.${owner}`,
      message: `${owner} runs as many commands as the limit execs allows`,
      remedy: `wait until one has ended, or raise owners.${owner}.execs`,
    };
    const ofToken = {
      group: `execs.${caller?.token ?? ''}`,
      message: 'this token runs as many commands as its limit execs allows',
      remedy: 'wait until one has ended',
    };
    return [
      ...(execs === undefined ? [] : [{ ...ofOwner, most: execs }]),
      ...(caller?.execs === undefined ? [] : [{ ...ofToken, most: caller.execs }]),
    ];
  }

  /** Gives back what frees them. A store that fails then has them end with this process. */
  async #take(bounds: readonly Bound[]): Promise<() => Promise<void>> {
    const { store } = this.#context;
    const place = newNonce();
    const taken: string[] = [];
    const free = async (): Promise<void> => {
      for (const group of taken) await store.givePlace(group, place).catch(() => undefined);
    };
    for (const { group, most, message, remedy } of bounds) {
      if (await store.takePlace(group, place, most)) {
        taken.push(group);
        continue;
      }
      await free();
      throw new CaissonError('resource_exhausted', message, {
        remedy,
        details: { limit: 'execs', most, retryAfterSeconds },
      });
    }
    return free;
  }
}
