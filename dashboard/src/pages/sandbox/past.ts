/** Events of one type of a task: what is known stays, and only what came since is asked for. Pure but for its own state. */
import type { CaissonClient } from 'caisson/client';

type Events = Pick<CaissonClient['events'], 'follow' | 'kept'>;
export type Change = Events['follow'] extends (...args: never[]) => AsyncIterable<infer Each> ? Each : never;

const mostKept = 200;

export class Past {
  readonly #task: string;
  readonly #type: Change['type'];
  #after = 0;
  #known: readonly Change[] = [];

  constructor(task: string, type: Change['type']) {
    this.#task = task;
    this.#type = type;
  }

  /** Oldest first. */
  async load(events: Events, signal: AbortSignal): Promise<readonly Change[]> {
    const { oldest, newest } = await events.kept();
    // A reader that was away for long begins anew, as does one of a database that was set aside.
    if (this.#after + 1 < oldest || this.#after > newest) {
      this.#after = 0;
      this.#known = [];
    }
    const how = { task: this.#task, type: this.#type, after: this.#after } as const;
    const found = await Array.fromAsync(events.follow(how, { signal }));
    this.#known = [...this.#known, ...found].slice(-mostKept);
    this.#after = Math.max(newest, found.at(-1)?.seq ?? 0);
    return this.#known;
  }
}
