/** `/`: the dashboard, a page that uses the API as any other client does, under a login of two halves. */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { assetPath } from '../../lib/asset.ts';
import { build } from '../../lib/build.ts';
import { callerIn } from '../caller.ts';
import { httpError } from '../problems.ts';
import type { Bearer, Service } from '../types.ts';
import { cookieOfService, watchLogins } from './bearer.ts';
import { type Built, type BuiltFile, nonceMark, readBuilt } from './files.ts';
import { pageHeaders } from './headers.ts';
import { cookieOf, cookiesIn } from './logins.ts';
import { tokenIn } from '../hooks/token.ts';

/** They show nothing, and are answered without a token. */
export const dashboardPaths: readonly string[] = ['/', '/assets/:name'];

const loginPath = '/login';

export function mountDashboard(app: FastifyInstance, service: Service): void {
  // A checkout has it beside its sources.
  const built = readBuilt(assetPath(build === null ? 'dashboard/dist' : 'dashboard'));
  app.get('/', (_request, reply) => sendPage(reply, built));
  app.get('/assets/:name', (request, reply) => sendAsset(request, reply, built));
  app.post(loginPath, (request, reply) => logIn(request, reply, service));
  app.get(loginPath, (request) => ({ token: shownOf(callerIn(request)) }));
  app.delete(loginPath, (request, reply) => logOut(request, reply, service));
  watchLogins(service, service.api.tokens);
}

function sendPage(reply: FastifyReply, built: Built | null): FastifyReply {
  if (built === null) throw httpError(404, 'the dashboard was not built', 'npm run dashboard, in the checkout');
  const nonce = randomBytes(18).toString('base64url');
  return reply.headers(pageHeaders(nonce)).send(built.page.replaceAll(nonceMark, nonce));
}

function sendAsset({ params, headers }: FastifyRequest, reply: FastifyReply, built: Built | null): FastifyReply {
  const file = built?.assets.get(String(Reflect.get(Object(params), 'name')));
  if (file === undefined) throw httpError(404, 'there is no such route');
  const isGzip = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
  return reply.headers(assetHeaders(file, isGzip)).send(isGzip ? file.gzip : file.bytes);
}

const assetHeaders = ({ type }: BuiltFile, isGzip: boolean): Readonly<Record<string, string>> => ({
  'content-type': type,
  // Its name changes with its content.
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
  vary: 'accept-encoding',
  ...(isGzip ? { 'content-encoding': 'gzip' } : {}),
});

/** A token opens a login; a login does not open another one. */
function logIn(request: FastifyRequest, reply: FastifyReply, service: Service): FastifyReply {
  const caller = callerIn(request);
  const token = tokenIn([request.headers.authorization ?? '']);
  if (token === null || caller.login !== undefined)
    throw httpError(403, 'a login needs a token', 'send Authorization: Bearer TOKEN');
  const name = cookieOfService(service, request);
  const { key, cookie } = service.logins.open(token, cookiesIn(request.headers.cookie, name));
  return reply
    .code(201)
    .header('set-cookie', cookieOf(cookie, name))
    .send({ key, token: shownOf(caller) });
}

/** The cookie stays: other pages of the browser have theirs by it, and alone it opens nothing. */
function logOut(request: FastifyRequest, reply: FastifyReply, { logins }: Service): FastifyReply {
  const { login } = callerIn(request);
  if (login === undefined) throw httpError(403, 'this request has no login');
  logins.end(login.key);
  return reply.code(204).send();
}

/** What a page is to know of its token: what it may not do is not shown. */
const shownOf = ({ id, name, owner, scopes, bounds, expiresAt }: Bearer) => ({
  id,
  name,
  owner,
  scopes,
  expiresAt,
  isBound: bounds !== null,
});
