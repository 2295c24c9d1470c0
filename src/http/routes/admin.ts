import { z } from 'zod';
import { CaissonError } from '../../errors.ts';
import { backends } from '../../service/verbs/backends.ts';
import { config } from '../../service/verbs/config.ts';
import { images } from '../../service/verbs/images.ts';
import { installation } from '../../service/verbs/installation.ts';
import { mcpServers } from '../../service/verbs/mcp-servers.ts';
import { secrets } from '../../service/verbs/secrets.ts';
import { tokens } from '../../service/verbs/tokens.ts';
import { tokenIn } from '../hooks/token.ts';
import { outline, served } from '../made.ts';
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
  status,
  ticket,
  ticketBody,
  token,
  tokenBody,
} from '../schemas/admin.ts';
import { bare, listOf, taskId } from '../schemas/common.ts';

const ofBackend = { params: z.strictObject({ name: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/) }) } as const;

const listBackends = route({
  ...bare,
  ...outline(backends.check),
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

const backendAccount = route({
  ...bare,
  ...outline(backends.account),
  ...ofBackend,
  answer: listOf(accountItem),
  run: async ({ api, params, options }) => {
    const [view] = await api.backends.account([params.name], options);
    if (view === undefined) throw new CaissonError('not_supported', `the backend ${params.name} has no account`);
    if (view.error !== null) throw new CaissonError('unavailable', view.error);
    return { items: view.items };
  },
});

export const createTicket = route({
  ...bare,
  method: 'POST',
  path: '/v1/tickets',
  scope: 'run',
  orScope: 'read',
  about:
    'Makes a ticket by which a browser opens one socket within 30 seconds, as subprotocol caisson.ticket.TICKET, or saves one file.',
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

const configSchema = route({
  ...bare,
  ...outline(config.schema),
  answer: z.looseObject({}),
  run: async ({ api }) => ({ ...(await api.config.schema()) }),
});

export const imageRoutes = served('images', images, {
  list: { answer: listOf(image) },
  recipes: { answer: listOf(recipe) },
  build: { body: buildBody, answer: built },
});

export const secretRoutes = served('secrets', secrets, {});

export const tokenRoutes = served('tokens', tokens, {
  create: { body: tokenBody, status: 201, answer: newToken },
  list: { answer: listOf(token) },
  remove: { params: z.strictObject({ tokenId: z.string().regex(/^tok_[a-z0-9]{16}$/) }) },
});

export const backendRoutes = served('backends', backends, {
  check: [listBackends],
  account: [backendAccount],
  hostKeys: { ...ofBackend, answer: listOf(hostKey) },
  confirmHostKey: { ...ofBackend, body: hostKeyBody },
});

export const mcpServerRoutes = served('mcpServers', mcpServers, { names: { answer: listOf(z.string()) } });

export const installationRoutes = served('installation', installation, {
  status: { answer: status },
  budgets: { answer: listOf(budget) },
});

export const configRoutes = served('config', config, {
  show: { query: z.strictObject({ task: taskId.exactOptional() }), answer: listOf(setting) },
  reload: { answer: reloaded },
  pending: { answer: pending },
  set: { body: settingBody },
  schema: [configSchema],
});
