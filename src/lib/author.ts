/**
 * On whose behalf work is done: what it changes says so. It goes with the work through every `await`, so that no function in
 * between has to pass it on.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Author {
  readonly owner: string;
  /** The id of a token, `operator` (command line and library), `sweeper`, `reaper`, `shutdown`, `proxy` or `file`. */
  readonly by: string;
  /** Why it acts by itself. `null`: it was asked to. */
  readonly reason: string | null;
}

const current = new AsyncLocalStorage<Author>();
const operator: Author = { owner: 'operator', by: 'operator', reason: null };

/** For what happens by itself. */
export const itself = (
  by: 'sweeper' | 'reaper' | 'shutdown' | 'proxy' | 'file' | 'pool',
  reason: string | null,
): Author => ({
  owner: 'operator',
  by,
  reason,
});

export const author = (): Author => current.getStore() ?? operator;

export function actingAs<T>(who: Author, work: () => T): T {
  return current.run(who, work);
}
