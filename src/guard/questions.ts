/** Questions that wait for an answer: one after the other, the same one only once, no more than somebody can look at. */
import type { Choice } from '../values/choice.ts';
import type { Unanswered } from './refusal.ts';

export type Outcome = Choice | Unanswered | 'canceled' | 'reviewed';

const maxPerTask = 32;
const maxInAll = 256;

interface Waiting {
  readonly taskId: string;
  readonly outcome: Promise<Outcome>;
}

export class Questions {
  readonly #waiting = new Map<string, Waiting>();
  #turn: Promise<unknown> = Promise.resolve();

  /** The outcome of the same question, when it is open already; `null` when it is not. */
  same(binding: string): Promise<Outcome> | null {
    return this.#waiting.get(binding)?.outcome ?? null;
  }

  /** `first` may answer at once. What it leaves open is put, first in, first out. */
  async ask(
    { binding, taskId }: { readonly binding: string; readonly taskId: string },
    { first, put }: { readonly first: () => Promise<Outcome | null>; readonly put: () => Promise<Outcome> },
  ): Promise<Outcome> {
    const ofTask = [...this.#waiting.values()].filter((each) => each.taskId === taskId).length;
    if (ofTask >= maxPerTask || this.#waiting.size >= maxInAll) return 'too-many';
    const outcome = first().then((answer) => answer ?? this.#inTurn(put));
    this.#waiting.set(binding, { taskId, outcome });
    try {
      return await outcome;
    } finally {
      this.#waiting.delete(binding);
    }
  }

  async #inTurn(put: () => Promise<Outcome>): Promise<Outcome> {
    const outcome = this.#turn.then(put);
    this.#turn = outcome.catch(() => undefined);
    return await outcome;
  }
}
