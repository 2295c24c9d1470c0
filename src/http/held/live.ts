/** Execs of this process whose stdin and terminal a socket can reach, by owner. */
import type { Writable } from 'node:stream';
import type { TokenView } from '../../service/api.ts';

/** What a socket does with an exec. */
export interface Reachable {
  readonly id: string;
  readonly exit: Promise<unknown>;
  readonly stdin: Writable | null;
  cancel(): Promise<void>;
  readonly resize?: (columns: number, rows: number) => Promise<void>;
}

interface Live {
  readonly id: string;
  readonly exit: Promise<unknown>;
}

/** Who has started it: a token that is bound may not see what another one of its owner runs. */
type Starter = Pick<TokenView, 'owner' | 'id'>;

interface LiveExec<Exec> {
  readonly exec: Exec;
  readonly token: string;
}

export class LiveExecs<Exec extends Live> {
  readonly #execs = new Map<string, LiveExec<Exec>>();
  readonly #looking = new Set<() => void>();
  readonly #begin: () => () => void;

  /** `begin`: called when one is added; what it gives, when that has ended. */
  constructor(begin: () => () => void = () => () => undefined) {
    this.#begin = begin;
  }

  get size(): number {
    return this.#execs.size;
  }

  /** Until it has ended. One that is read from its record only does not replace the one that runs. */
  add({ owner, id: token }: Starter, exec: Exec): void {
    const key = keyOf(owner, exec.id);
    if (this.#execs.has(key)) return;
    this.#execs.set(key, { exec, token });
    for (const look of this.#looking) look();
    const end = this.#begin();
    void exec.exit.finally(() => {
      this.#execs.delete(key);
      end();
    });
  }

  /** `find`, of one that may be about to start: its record is there before it runs. */
  async soon(owner: string, execId: string, withinMs: number): Promise<Exec | null> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => (this.find(owner, execId) === null ? undefined : resolve());
    const timer = setTimeout(resolve, withinMs);
    this.#looking.add(look);
    look();
    await promise;
    this.#looking.delete(look);
    clearTimeout(timer);
    return this.find(owner, execId);
  }

  find(owner: string, execId: string): Exec | null {
    return this.#execs.get(keyOf(owner, execId))?.exec ?? null;
  }

  isOf({ owner, id: token }: Starter, execId: string): boolean {
    return this.#execs.get(keyOf(owner, execId))?.token === token;
  }

  /** Resolves when all that run now have ended, or the time is over. True: all have. */
  async settled(withinMs: number): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), withinMs);
    const all = Promise.all([...this.#execs.values()].map(({ exec }) => exec.exit)).then(() => true);
    const done = await Promise.race([all, late]);
    clearTimeout(timer);
    return done;
  }
}

/** `by`: an owner, or the id of a token where it is of that token alone. */
export const keyOf = (by: string, execId: string): string => JSON.stringify([by, execId]);
