/** Changes of state of a task's sandboxes: what is known stays, and only what came since is asked for. Pure but for its own state. */
import type { CaissonClient } from 'caisson/client';

type Events = Pick<CaissonClient['events'], 'follow' | 'kept'>;
export type Change = Events['follow'] extends (...args: never[]) => AsyncIterable<infer Each> ? Each : never;

const mostKept = 200;

export class States {
  readonly #task: string;
  #after = 0;
  #known: readonly Change[] = [];

  constructor(task: string) {
    this.#task = task;
  }

  /** Oldest first. */
  async load(events: Events, signal: AbortSignal): Promise<readonly Change[]> {
    const { oldest, newest } = await events.kept();
    // A reader that was away for long begins anew, as does one of a database that was set aside.
    if (this.#after + 1 < oldest || this.#after > newest) {
      this.#after = 0;
      this.#known = [];
    }
    const how = { task: this.#task, type: 'sandbox.state', after: this.#after } as const;
    const found = await Array.fromAsync(events.follow(how, { signal }));
    this.#known = [...this.#known, ...found].slice(-mostKept);
    this.#after = Math.max(newest, found.at(-1)?.seq ?? 0);
    return this.#known;
  }
}

const words = { ready: 'started', stopped: 'stopped', removed: 'removed' } as const;
const isWord = (to: unknown): to is keyof typeof words => typeof to === 'string' && Object.hasOwn(words, to);

/** `null`: a step on the way to the next state. */
export function stateText({ data: { from, to } }: Pick<Change, 'data'>): string | null {
  if (from === null) return 'created';
  return isWord(to) ? words[to] : null;
}
