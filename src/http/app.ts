/** The HTTP application: what stands before every request, the routes of the table, and errors in one form. */
import websocket from '@fastify/websocket';
import fastify, { type FastifyInstance, type FastifyRequest, type FastifyServerOptions } from 'fastify';
import { randomBytes } from 'node:crypto';
import type { RequestListener, Server } from 'node:http';
import type { Logger } from 'pino';
import { turn } from '../lib/turns.ts';
import { callerOf, checkCaller, checkScope, type Door } from './admit.ts';
import { approvalPagePath, mountApprovalPage } from './approval-page/routes.ts';
import { callerIn } from './caller.ts';
import { answerFailure, everyAnswer, refuseGarbage, refuseRequest } from './failures.ts';
import { handle, headerIn } from './handle.ts';
import { Connections } from './connections.ts';
import { behindTicket, downloadHeaders } from './dashboard/downloads.ts';
import { dashboardPaths, mountDashboard } from './dashboard/routes.ts';
import { Doors } from './doors.ts';
import { checkBody } from './codings.ts';
import { checkConditions } from './files/conditions.ts';
import { countRequests } from './held/activity.ts';
import { type Flags, mountState } from './home/state.ts';
import type { HomeTokens } from './home/tokens.ts';
import { readJson } from './hooks/body.ts';
import { bodyMs, limitBodies, limitConnections } from './slow-clients.ts';
import { protocol } from './hooks/token.ts';
import { mountMcp } from './mcp.ts';
import { documentOf } from './openapi/document.ts';
import { Methods } from './methods.ts';
import { mountMetrics } from './metrics.ts';
import { HttpRefusal, httpError } from './problems.ts';
import type { Route } from './route.ts';
import { sockets } from './socket/routes.ts';
import { nounOf, routes } from './table.ts';
import type { Service } from './types.ts';

const bodyLimit = 2 * 1024 * 1024;
const maxFrameBytes = 1024 * 1024;
/** Longer ones take milliseconds to read, and are read in turns. */
const longBody = 64 * 1024;
const requestId = /^[A-Za-z0-9._-]{1,64}$/;

export interface AppInput {
  readonly service: Service;
  /** Read at each request: the address is known once it listens. */
  readonly door: () => Door;
  readonly log: Logger;
  readonly proxies: readonly string[];
  /** Absent: no dashboard. */
  readonly dashboard?: boolean;
  readonly serverFactory?: (handler: RequestListener) => Server;
  /** Tokens that hold on the socket of the state directory alone, and the flags that the service was started with. */
  readonly home?: { readonly tokens: HomeTokens; readonly flags: Flags };
}

export async function openApp(input: AppInput): Promise<FastifyInstance> {
  const { service, log, proxies, serverFactory } = input;
  const options: FastifyServerOptions = {
    bodyLimit,
    exposeHeadRoutes: true,
    ...(input.dashboard === true ? { rewriteUrl: behindTicket } : {}),
    // Requests are logged by `watchRequests`, without what a client wrote.
    logger: false,
    trustProxy: proxies.length === 0 ? false : [...proxies],
    genReqId: ({ headers }) => idOf(headers['x-request-id']),
    routerOptions: { maxParamLength: 512, caseSensitive: true, ignoreDuplicateSlashes: false },
    forceCloseConnections: true,
    ...(serverFactory === undefined ? {} : { serverFactory: (handler) => serverFactory(handler) }),
    clientErrorHandler: refuseGarbage,
    frameworkErrors: (error, request, reply) => refuseRequest(error, { request, reply, door: input.door() }),
  };
  const app = fastify(options);
  app.decorateRequest('caller', null);
  takeBodies(app);
  app.setErrorHandler(answerFailure(log));
  const methods = new Methods();
  methods.watch(app);
  app.setNotFoundHandler(
    async ({ raw }, reply) => await reply.code(204).header('allow', methods.checkOptions(raw)).send(),
  );
  await app.register(websocket, {
    options: { maxPayload: maxFrameBytes, perMessageDeflate: false, handleProtocols: () => protocol },
  });
  limitConnections(app.server);
  // The socket of the state directory is of the command line alone.
  const doors = input.home === undefined ? new Doors(app.server) : null;
  limitBodies(app, bodyMs);
  countRequests(app, service.activity);
  guard(app, input, { connections: connectionsOf(app, input), methods });
  // What listens beside `app.listen` is closed with it.
  app.addHook('preClose', (done) => {
    doors?.close();
    done();
  });
  app.addHook('onClose', ({ server }, done) => {
    server.closeAllConnections();
    done();
  });
  watchRequests(app, log, service.metrics);
  health(app, service, log);
  if (input.home !== undefined) mountState(app, service, input.home.flags);
  for (const route of routes) mount(app, route, service);
  for (const socket of sockets) socket(app, service);
  mountMcp(app, service);
  await mountApprovalPage(app, service);
  if (input.dashboard === true) mountDashboard(app, service);
  mountMetrics(app, service);
  const document = JSON.stringify(documentOf(routes, nounOf));
  app.get('/openapi.json', async (_request, reply) => await reply.type('application/json').send(document));
  return app;
}

function idOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' && requestId.test(header) ? header : randomBytes(12).toString('base64url');
}

/** JSON and bytes, and nothing else: a form or plain text of a page is 415. */
function takeBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string) => {
      if (body.length > longBody) await turn();
      return readJson(body);
    },
  );
  app.addContentTypeParser('application/octet-stream', (_request, body, done) => done(null, body));
}

/** The page of a question has a login of its own. */
const open = new Set(['/healthz', '/readyz', approvalPagePath, ...dashboardPaths]);

/** Without limit on the socket of the state directory, as all of it. */
function connectionsOf({ server }: FastifyInstance, { service, home }: AppInput): Connections | null {
  if (home !== undefined) return null;
  const { installation } = service.api;
  const connections = new Connections({
    strangers: installation.budget('strangers'),
    connections: installation.budget('connections'),
  });
  connections.watch(server);
  return connections;
}

interface Guarding {
  readonly connections: Connections | null;
  readonly methods: Methods;
}

function guard(app: FastifyInstance, { service, door, home }: AppInput, { connections, methods }: Guarding): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers({ ...everyAnswer(request), ...downloadHeaders(request) });
    checkCaller(request, door());
    const { url, config } = request.routeOptions;
    const isSocket = Reflect.get(config, 'socket') === true;
    if (url !== undefined && open.has(url)) {
      if (request.ws) throw noSocketError();
      return;
    }
    request.caller = await callerOf(request, service, home?.tokens ?? null);
    const isBrief = Reflect.get(config, 'brief') === true;
    connections?.shown(request, reply, { owner: request.caller.owner, isBrief });
    if (url === undefined) methods.checkOptions(request.raw);
    if (request.ws && !isSocket) throw noSocketError();
    if (service.closing.aborted)
      throw new HttpRefusal(503, httpError(503, 'the service stops'), { 'retry-after': '5' });
  });
}

/** An upgrade of another route would hold its connection until the client leaves. */
const noSocketError = (): HttpRefusal => httpError(404, 'this route is no socket');

function health(app: FastifyInstance, { api, closing }: Service, log: Logger): void {
  app.get('/healthz', async () => await Promise.resolve({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    if (closing.aborted) return await reply.code(503).send({ status: 'stopping' });
    try {
      await api.policy.ready();
      return { status: 'ready' };
    } catch (error) {
      log.error({ err: error }, 'commands cannot be judged');
      return await reply.code(503).send({ status: 'commands-cannot-be-judged' });
    }
  });
}

function mount(app: FastifyInstance, route: Route, service: Service): void {
  app.route({
    method: route.method,
    url: urlOf(route.path),
    config: { brief: route.brief === true },
    onRequest: (request, _reply, done) => {
      checkScope(callerIn(request), route.scope, route.orScope);
      const header = headerIn(request);
      checkBody(header, route);
      checkConditions(header, route);
      done();
    },
    handler: async (request, reply) => await handle(route, service, { request, reply, token: callerIn(request) }),
  });
}

export const urlOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

function watchRequests(app: FastifyInstance, log: Logger, metrics: Service['metrics']): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, ip, caller, id } = request;
    const route = routeOptions.url;
    const { elapsedTime, statusCode: status } = reply;
    const ms = Math.round(elapsedTime * 100) / 100;
    log.info({ reqId: id, method, route: route ?? null, status, ms, by: caller?.id ?? null, ip }, 'request');
    metrics.answered(reply.raw, { route, method, status, ms: elapsedTime });
    done();
  });
}
