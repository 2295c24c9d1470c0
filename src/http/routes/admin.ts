import { z } from 'zod';
import { CaissonError } from '../../errors.ts';
import { tokenIn } from '../hooks/token.ts';
import { route } from '../route.ts';
import {
  accountItem,
  backend,
  budget,
  buildBody,
  built,
  hostKey,
  hostKeyBody,
  image,
  newToken,
  pending,
  recipe,
  reloaded,
  setting,
  settingBody,
  ticket,
  ticketBody,
  token,
  tokenBody,
} from '../schemas/admin.ts';
import { bare, listOf, noAnswer, taskId } from '../schemas/common.ts';

export const listImages = route({
  ...bare,
  method: 'GET',
  path: '/v1/images',
  scope: 'read',
  about: 'Lists images that are there.',
  answer: listOf(image),
  run: async ({ api, options }) => ({ items: await api.images.list({}, options) }),
});

export const listRecipes = route({
  ...bare,
  method: 'GET',
  path: '/v1/images/recipes',
  scope: 'read',
  about: 'Lists recipes from which images can be built.',
  answer: listOf(recipe),
  run: async ({ api }) => ({ items: await api.images.recipes() }),
});

export const buildImage = route({
  ...bare,
  method: 'POST',
  path: '/v1/images',
  scope: 'admin',
  about: 'Builds an image from a recipe.',
  body: buildBody,
  answer: built,
  run: ({ api, body: { recipe: name, ...how }, options }) => api.images.build(name, how, options),
});

export const listBackends = route({
  ...bare,
  method: 'GET',
  path: '/v1/backends',
  scope: 'read',
  about:
    'Tells whether each backend can be used here, and what is wrong with it; with the scope admin, its facts and findings too.',
  answer: listOf(backend),
  run: async ({ api, options, token }) => {
    const checks = await api.backends.check(undefined, options);
    const all = checks.map(({ backend: name, module, check, degraded }) => ({
      ...check,
      module,
      degraded,
      backend: name,
    }));
    if (token.scopes.includes('admin')) return { items: all };
    return {
      items: all.map(({ backend: name, status, summary, remedy }) => ({ backend: name, status, summary, remedy })),
    };
  },
});

export const listBudgets = route({
  ...bare,
  method: 'GET',
  path: '/v1/budgets',
  scope: 'read',
  about:
    'Lists the budgets of the service: what callers together and each owner may hold, what they hold, and what was refused. For tokens of the operator.',
  answer: listOf(budget),
  run: async ({ api }) => ({ items: await api.installation.budgets() }),
});

const backendName = z.strictObject({ name: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/) });

export const listHostKeys = route({
  ...bare,
  method: 'GET',
  path: '/v1/backends/{name}/host-keys',
  scope: 'admin',
  about: 'Asks the hosts of a backend for their keys.',
  params: backendName,
  answer: listOf(hostKey),
  run: async ({ api, params, options }) => ({ items: await api.backends.hostKeys(params.name, options) }),
});

export const confirmHostKey = route({
  ...bare,
  method: 'POST',
  path: '/v1/backends/{name}/host-keys',
  scope: 'admin',
  about: 'Confirms the key of a host, whose fingerprint a person has compared.',
  params: backendName,
  body: hostKeyBody,
  answer: noAnswer,
  run: async ({ api, params, body, options }) => {
    await api.backends.confirmHostKey(params.name, body, options);
    return undefined;
  },
});

export const backendAccount = route({
  ...bare,
  method: 'GET',
  path: '/v1/backends/{name}/account',
  scope: 'admin',
  about: 'Lists what runs, or is kept, in the account of a backend.',
  params: backendName,
  answer: listOf(accountItem),
  run: async ({ api, params, options }) => {
    const [view] = await api.backends.account([params.name], options);
    if (view === undefined) throw new CaissonError('not_supported', `the backend ${params.name} has no account`);
    if (view.error !== null) throw new CaissonError('unavailable', view.error);
    return { items: view.items };
  },
});

export const createToken = route({
  ...bare,
  method: 'POST',
  path: '/v1/tokens',
  scope: 'admin',
  about: 'Makes a token, which is shown in this answer only.',
  body: tokenBody,
  status: 201,
  answer: newToken,
  run: ({ api, body, by }) => api.tokens.create(body, by),
});

export const listTokens = route({
  ...bare,
  method: 'GET',
  path: '/v1/tokens',
  scope: 'admin',
  about: 'Lists tokens, never the secrets.',
  answer: listOf(token),
  run: async ({ api }) => ({ items: await api.tokens.list() }),
});

export const removeToken = route({
  ...bare,
  method: 'DELETE',
  path: '/v1/tokens/{tokenId}',
  scope: 'admin',
  about: 'Removes a token: it holds no more from the next request on.',
  params: z.strictObject({ tokenId: z.string().regex(/^tok_[a-z0-9]{16}$/) }),
  answer: noAnswer,
  run: async ({ api, params, by }) => {
    await api.tokens.remove(params.tokenId, by);
    return undefined;
  },
});

export const createTicket = route({
  ...bare,
  method: 'POST',
  path: '/v1/tickets',
  scope: 'run',
  about: 'Makes a ticket by which a browser opens one socket within 30 seconds, as subprotocol caisson.ticket.TICKET.',
  body: ticketBody,
  status: 201,
  answer: ticket,
  run: ({ service, header, body }) => {
    const token = tokenIn([header('authorization') ?? '']);
    if (token === null)
      throw new CaissonError('unauthenticated', 'a ticket needs the token that it is for', {
        remedy: 'send Authorization: Bearer TOKEN',
      });
    return Promise.resolve(service.tickets.issue(token, body.path));
  },
});

export const showConfig = route({
  ...bare,
  method: 'GET',
  path: '/v1/config',
  scope: 'admin',
  about: 'Shows the configuration in force, with the origin of each value.',
  query: z.strictObject({ task: taskId.exactOptional() }),
  answer: listOf(setting),
  run: async ({ api, query }) => ({ items: await api.config.show(query.task) }),
});

export const setConfig = route({
  ...bare,
  method: 'PUT',
  path: '/v1/config',
  scope: 'admin',
  about:
    'Sets one key in the configuration file. Rules that ask or deny, and hosts that are denied, hold at once; all else after a reload, or when the service is started again.',
  body: settingBody,
  answer: noAnswer,
  run: async ({ api, body }) => {
    await api.config.set(body.key, body.text);
    return undefined;
  },
});

export const reloadConfig = route({
  ...bare,
  method: 'POST',
  path: '/v1/config/reload',
  scope: 'admin',
  about: 'Reads the configuration file again; lists what holds now, and what needs a restart.',
  answer: reloaded,
  run: async ({ api }) => await api.config.reload(),
});

export const pendingConfig = route({
  ...bare,
  method: 'GET',
  path: '/v1/config/pending',
  scope: 'admin',
  about:
    'Lists what the configuration file says since it was read: what of it holds already, and what a reload would loosen.',
  answer: pending,
  run: async ({ api }) => await api.config.pending(),
});

export const configSchema = route({
  ...bare,
  method: 'GET',
  path: '/v1/config/schema',
  scope: 'read',
  about: 'Gives the JSON Schema of the configuration file.',
  answer: z.looseObject({}),
  run: async ({ api }) => ({ ...(await api.config.schema()) }),
});

export const listMcpServers = route({
  ...bare,
  method: 'GET',
  path: '/v1/mcp-servers',
  scope: 'read',
  about: 'Lists the names of the MCP servers that are configured.',
  answer: listOf(z.string()),
  run: async ({ api }) => ({ items: await api.mcpServers.names() }),
});
