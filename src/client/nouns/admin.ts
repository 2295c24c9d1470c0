/** What concerns the whole installation: images, backends, tokens, pairing, configuration. */
import type {
  AccessApi,
  AccountItem,
  BackendCheck,
  BudgetFigures,
  BackendsApi,
  Check,
  Hearing,
  HostKey,
  ImagesApi,
  ImageView,
  InstallationApi,
  McpServersApi,
  NewToken,
  PairedView,
  PairingView,
  Pending,
  Reloaded,
  Revoked,
  SecretsApi,
  TokensApi,
  TokenView,
} from '../../service/api.ts';
import { CaissonError, isCode, toCaissonError } from '../../errors.ts';
import type { ClientConfigView } from '../types.ts';
import { none, notServed } from '../wire/none.ts';
import { segment } from '../wire/path.ts';
import { listed, shaped } from '../wire/shape.ts';
import type { Wire } from '../wire/wire.ts';

export function imagesOf(wire: Wire): ImagesApi {
  const path = '/v1/images';
  return {
    list: async ({ backend } = {}, { signal } = {}) => {
      const all = listed<ImageView>(await wire.json({ method: 'GET', path, signal }), { backend: 'text', id: 'text' });
      return backend === undefined ? all : all.filter((image) => image.backend === backend);
    },
    recipes: async () =>
      listed<Awaited<ReturnType<ImagesApi['recipes']>>[number]>(
        await wire.json({ method: 'GET', path: `${path}/recipes` }),
        {
          name: 'text',
        },
      ),
    build: async (recipe, how, { signal } = {}) => {
      const built = await wire.json({ method: 'POST', path, body: { recipe, ...how }, signal });
      return shaped<Awaited<ReturnType<ImagesApi['build']>>>(built, { reference: 'text', id: 'text' });
    },
  };
}

export function backendsOf(wire: Wire): BackendsApi {
  const at = (name: string, what: string): string => `/v1/backends/${segment(name)}/${what}`;
  return {
    check: async (names, { signal } = {}) => {
      const all = listed<Check & Pick<BackendCheck, 'backend'> & Partial<Pick<BackendCheck, 'module' | 'degraded'>>>(
        await wire.json({ method: 'GET', path: '/v1/backends', signal }),
        {
          ...{ backend: 'text', status: 'text', summary: 'text' },
        },
      );
      checkNames(
        names ?? [],
        all.map(({ backend }) => backend),
      );
      const wanted = names === undefined ? all : all.filter(({ backend }) => names.includes(backend));
      // Without the scope admin, the service says neither facts nor findings.
      return wanted.map(({ backend, module = null, degraded = [], facts = {}, findings = [], ...check }) => ({
        backend,
        module,
        degraded,
        check: { ...check, facts, findings },
      }));
    },
    account: async (names, { signal } = {}) => {
      const asked = names.map(async (backend) => {
        try {
          const items = listed<AccountItem>(await wire.json({ method: 'GET', path: at(backend, 'account'), signal }), {
            name: 'text',
          });
          return [{ backend, items, error: null }];
        } catch (error) {
          if (isCode(error, 'not_supported')) return [];
          if (isCode(error, 'unavailable')) return [{ backend, items: [], error: toCaissonError(error).message }];
          throw error;
        }
      });
      return (await Promise.all(asked)).flat();
    },
    hostKeys: async (backend, { signal } = {}) =>
      listed<HostKey>(await wire.json({ method: 'GET', path: at(backend, 'host-keys'), signal }), { host: 'text' }),
    confirmHostKey: async (backend, { host, fingerprint }, { signal } = {}) => {
      await wire.json({ method: 'POST', path: at(backend, 'host-keys'), body: { host, fingerprint }, signal });
    },
  };
}

/** Throws `invalid_argument` for a backend that the service does not have, as the library does. */
function checkNames(wanted: readonly string[], known: readonly string[]): void {
  for (const name of wanted)
    if (!known.includes(name))
      throw new CaissonError('invalid_argument', `there is no backend ${JSON.stringify(name)}`, {
        remedy: `choose one of ${known.join(', ')}`,
      });
}

export function tokensOf(wire: Wire): TokensApi {
  const path = '/v1/tokens';
  return {
    create: async (input) =>
      shaped<NewToken>(await wire.json({ method: 'POST', path, body: input }), {
        id: 'text',
        token: 'text',
        scopes: 'list',
      }),
    list: async () => listed<TokenView>(await wire.json({ method: 'GET', path }), { id: 'text', scopes: 'list' }),
    remove: async (id) => {
      await wire.json({ method: 'DELETE', path: `${path}/${segment(id)}` });
    },
    authenticate: none('tokens.authenticate', 'every request does it with the token that it brings'),
    admit: none('tokens.admit', 'every request is counted for the token that it brings'),
  };
}

export function accessOf(wire: Wire): AccessApi {
  const path = '/v1/access';
  const heard = async (message: object): Promise<Hearing & { readonly conversation?: string }> =>
    shaped<Hearing & { readonly conversation?: string }>(
      await wire.json({ method: 'POST', path: `${path}/check`, body: message }),
      {
        what: 'text',
      },
    );
  return {
    message: async (message) => {
      const { conversation: _, ...hearing } = await heard(message);
      return hearing;
    },
    conversation: async (message) => {
      const { conversation } = await heard({ addressed: 'command', ...message });
      if (conversation !== undefined) return conversation;
      throw new CaissonError('permission_denied', 'the message is not for the agent, and belongs to no conversation');
    },
    pairing: {
      list: async () =>
        shaped<PairingView>(await wire.json({ method: 'GET', path: `${path}/pairings` }), {
          pending: 'list',
          paired: 'list',
        }),
      approve: async (platform, code) =>
        shaped<PairedView>(await wire.json({ method: 'POST', path: `${path}/pairings`, body: { platform, code } }), {
          ids: 'list',
        }),
      revoke: async (platform, user) =>
        shaped<Revoked>(
          await wire.json({ method: 'POST', path: `${path}/pairings/revoke`, body: { platform, user } }),
          {
            user: 'object',
          },
        ),
      clearPending: none(
        'access.pairing.clearPending',
        '`caisson pairing clear-pending` does it on the host of the service',
      ),
    },
  };
}

export function mcpServersOf(wire: Wire): McpServersApi {
  return {
    names: async () => {
      const { items } = shaped<{ readonly items: readonly unknown[] }>(
        await wire.json({ method: 'GET', path: '/v1/mcp-servers' }),
        {
          items: 'list',
        },
      );
      return items.map(String);
    },
    child: none('mcpServers.child', 'its answer holds the secrets of a child of the caller'),
    shares: none('mcpServers.shares', '`caisson mcp config` asks it on the host of the service'),
    inside: none('mcpServers.inside', 'its answer holds the secrets of a server'),
    admit: none('mcpServers.admit', '`caisson mcp run` does it on the host of the service'),
  };
}

export function installationOf(wire: Wire): InstallationApi {
  return {
    figures: none('installation.figures', 'GET /metrics has them'),
    budgets: async () =>
      listed<BudgetFigures>(await wire.json({ method: 'GET', path: '/v1/budgets' }), {
        name: 'text',
        refused: 'object',
      }),
    budget: () => {
      throw notServed('installation.budget', 'a budget is of the process that holds it');
    },
    backup: none('installation.backup', 'it names files of the host'),
  };
}

export function configOf(wire: Wire): ClientConfigView {
  const path = '/v1/config';
  return {
    show: async (task) =>
      listed<Awaited<ReturnType<ClientConfigView['show']>>[number]>(
        await wire.json({ method: 'GET', path, query: { task } }),
        {
          ...{ key: 'text', origin: 'text' },
        },
      ),
    set: async (key, text) => {
      await wire.json({ method: 'PUT', path, body: { key, text } });
    },
    create: none('config.create', 'the first file of a state directory is written on its host'),
    reload: async () =>
      shaped<Reloaded>(await wire.json({ method: 'POST', path: `${path}/reload` }), {
        changed: 'list',
        needsRestart: 'list',
      }),
    pending: async () =>
      shaped<Pending>(await wire.json({ method: 'GET', path: `${path}/pending` }), {
        holds: 'list',
        loosens: 'list',
        reload: 'list',
        restart: 'list',
      }),
    schema: async () => shaped<object>(await wire.json({ method: 'GET', path: `${path}/schema` }), {}),
  };
}

const readsText =
  'it reads a text that the caller has: `caisson redact`, `caisson scan` and the library do it where that is';

export const secrets: SecretsApi = {
  redactor: () => {
    throw notServed('secrets.redactor', readsText);
  },
  scan: none('secrets.scan', readsText),
  approve: none('secrets.approve', readsText),
  scanSkill: none('secrets.scanSkill', 'it names files of the host'),
  acceptSkill: none('secrets.acceptSkill', 'it names files of the host'),
};
