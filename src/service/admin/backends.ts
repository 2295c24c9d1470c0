/** What backends can do on this host, and the keys of the hosts that they reach. */
import type { BackendsApi } from '../api.ts';
import type { Trust } from '../../backend.ts';
import { readAccounts } from './account.ts';
import { CaissonError } from '../../errors.ts';
import { isInside } from '../../guard/inside.ts';
import { cancelable, type Context } from '../../sandbox/context.ts';
import type { Plans } from '../../sandbox/plan.ts';

export interface BackendsDependencies {
  readonly context: Context;
  readonly plans: Pick<Plans, 'missingOn'>;
  readonly names: readonly string[];
  /** Paths by name, as the home's configuration has them. */
  readonly modules: Readonly<Record<string, string>>;
  /** Environment of this process, which may be one that Caisson itself started. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function createBackendsApi({ context, names, modules, plans, env }: BackendsDependencies): BackendsApi {
  return {
    check: async (asked = names, options = {}) =>
      await Promise.all(
        asked.map(async (name) => {
          const trial = options.tried?.includes(name) === true ? ({ trial: 'anew' } as const) : {};
          const check = await (await context.backend(name)).check({ ...cancelable(options), ...trial });
          // What cannot be used promises nothing, and one that fails now says so where it is used.
          const degraded = check.status === 'ready' ? await plans.missingOn(name, options).catch(() => []) : [];
          return { backend: name, module: modules[name] ?? null, check, degraded };
        }),
      ),
    account: async (asked, options = {}) => await readAccounts(context, asked, options),
    hostKeys: async (backend, options = {}) => await (await facetOf(context, backend)).look(cancelable(options)),
    // A person decides, and the decision is on record before it counts.
    confirmHostKey: async (backend, { host, fingerprint }, options = {}) => {
      if (isInside(env)) throw ownTrustError();
      const facet = await facetOf(context, backend);
      await context.audit.record({ type: 'trust', taskId: null, execId: null, backend, host, fingerprint });
      await facet.confirm({ host, fingerprint }, cancelable(options));
    },
  };
}

async function facetOf(context: Context, name: string): Promise<Trust> {
  const { trust } = await context.backend(name);
  if (trust !== undefined) return trust;
  throw new CaissonError('not_supported', `the backend ${name} has no hosts whose keys are to be confirmed`, {
    remedy: 'only hosts that are reached by ssh have such keys',
  });
}

function ownTrustError(): CaissonError {
  return new CaissonError('permission_denied', 'a command that Caisson runs cannot confirm the key of a host', {
    remedy: 'do it on a terminal of your own',
  });
}
