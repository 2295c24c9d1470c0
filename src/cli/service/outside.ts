/** A command that Caisson runs on this host decides nothing about commands: that is checked where it runs, which is here. */
import { CaissonError } from '../../errors.ts';
import { isInside } from '../../guard/inside.ts';
import type { Env } from '../world.ts';

type Act<Args extends readonly unknown[], Result> = (...args: Args) => Promise<Result>;

/** Wraps an act so that only callers outside of a command that Caisson runs may do it. Throws `permission_denied`. */
export function outside<Args extends readonly unknown[], Result>(
  env: Env,
  what: string,
  act: Act<Args, Result>,
): Act<Args, Result> {
  return async (...args) => {
    if (isInside(env)) throw new CaissonError('permission_denied', `a command that Caisson runs ${what}`);
    return await act(...args);
  };
}
