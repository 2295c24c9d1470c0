/** Finds what a client names among what belongs to its owner, and translates errors on the way out. */
import type { CaissonApi } from '../api.ts';
import { noSandbox } from '../../sandbox/step.ts';
import { isSandboxId } from '../../values/task.ts';
import { Scope } from './scope.ts';

export interface Mine {
  readonly api: CaissonApi;
  readonly scope: Scope;
  /**
   * A task id or a sandbox id, as core takes it. Throws `not_found` for the sandbox of another owner, as for one that is not
   * there. The owner of a sandbox id never changes, so that what was looked up holds afterwards too.
   */
  readonly place: (name: string) => Promise<string>;
  /** The work, with its errors in the words of the owner. */
  readonly asked: <T>(work: () => Promise<T>) => Promise<T>;
}

export function mineOf(api: CaissonApi, owner: string): Mine {
  const scope = new Scope(owner);
  return {
    api,
    scope,
    place: async (name) => {
      if (!isSandboxId(name)) return scope.taskKey(name);
      const { items } = await api.sandboxes.list({ task: name, owner, limit: 1 });
      if (items.length === 0) throw noSandbox(name);
      return name;
    },
    asked: async (work) => {
      try {
        return await work();
      } catch (error) {
        throw scope.error(error);
      }
    },
  };
}
