/** Tokens of the service, as front ends make and see them. Opened on first use. */
import type { TokensApi } from '../api.ts';
import type { Tokens } from '../../access/tokens/tokens.ts';
import { CaissonError } from '../../errors.ts';
import { isInside } from '../../guard/inside.ts';
import { remembered } from '../../lib/remembered.ts';
import type { Context } from '../../sandbox/context.ts';

/** `env`: of this process, which may be one that Caisson itself started. */
export function createTokensApi(
  { store, audit, allowed }: Context,
  env: Readonly<Record<string, string | undefined>>,
): TokensApi {
  const requestsPerMinute = (owner: string): number | undefined => allowed(owner).requests_per_minute;
  const open = remembered(async (): Promise<Tokens> => {
    const room = await import('../../access/tokens/tokens.ts');
    return new room.Tokens({ store, audit, requestsPerMinute });
  });
  const outside = async <T>(work: (tokens: Tokens) => Promise<T>): Promise<T> => {
    if (isInside(env))
      throw new CaissonError('permission_denied', 'a command that Caisson runs can make or remove no token');
    return await work(await open());
  };
  return {
    create: (input, by) => outside((tokens) => tokens.create(input, by)),
    list: async () => await (await open()).list(),
    remove: (id, by) => outside((tokens) => tokens.remove(id, by)),
    admit: async (token) => await (await open()).admit(token),
    authenticate: async (token) => await (await open()).authenticate(token),
  };
}
