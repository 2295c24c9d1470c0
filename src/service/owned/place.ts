/** Finds what a client names among what it sees, and translates errors on the way out. */
import type { CaissonApi, SandboxRequest } from '../api.ts';
import { type Bounds, operator } from '../../values/caller.ts';
import { Bound } from './bound.ts';
import { Scope } from './scope.ts';

/** Who looks: an owner, by a token that may be bound to a part of what is the owner's. */
export interface Viewer {
  readonly owner: string;
  readonly bounds: Bounds | null;
}

export interface Mine {
  readonly api: CaissonApi;
  readonly scope: Scope;
  readonly bound: Bound;
  /** Whether it is the operator, without bounds. */
  readonly isOperator: boolean;
  /**
   * A task id or a sandbox id, as core takes it. Throws `not_found` for the sandbox of another owner, or out of bounds, as for
   * one that is not there. The owner of a sandbox id never changes, so that what was looked up holds afterwards too.
   */
  readonly place: (name: string) => Promise<string>;
  /** The work, with its errors in the words of the owner. */
  readonly asked: <T>(work: () => Promise<T>) => Promise<T>;
}

export function mineOf(api: CaissonApi, { owner, bounds }: Viewer): Mine {
  const scope = new Scope(owner);
  const bound = new Bound(api, scope, bounds);
  return {
    api,
    scope,
    bound,
    isOperator: owner === operator && bounds === null,
    place: async (name) => await bound.place(name),
    asked: async (work) => {
      try {
        return await work();
      } catch (error) {
        throw scope.error(error);
      }
    },
  };
}

/** The task of a request that may make its sandbox. Throws `not_found` for one that is out of bounds. */
export async function keyOf(
  { scope, bound, place }: Pick<Mine, 'scope' | 'bound' | 'place'>,
  request: SandboxRequest,
): Promise<string> {
  const { taskId = '', existing } = request;
  bound.checkLabels(request);
  if (existing === true) return await place(taskId);
  bound.checkNew(taskId);
  return scope.taskKey(taskId);
}
