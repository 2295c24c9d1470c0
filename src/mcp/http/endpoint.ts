/** The endpoint `/mcp` of the service: requests of the new protocol one by one, those of the old one in sessions. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler, isInitializeRequest, isLegacyRequest, type McpServer } from '@modelcontextprotocol/server';
import { CaissonError } from '../../errors.ts';
import type { CaissonApi, TokenView } from '../../service/api.ts';
import { apiOf } from '../../service/owned.ts';
import type { StartedCommand } from '../api.ts';
import { States } from '../asking/state.ts';
import { Calls } from '../calls.ts';
import { type Limits, defaultLimits } from '../limits.ts';
import type { McpDependencies } from '../parts.ts';
import { serverWith } from '../server.ts';
import { type Session, Sessions } from './sessions.ts';

export interface EndpointInput {
  /** API of the service, on behalf of no client. */
  readonly api: CaissonApi;
  /** Fires when the service stops. */
  readonly closing: AbortSignal;
  readonly started: (token: TokenView, running: StartedCommand) => void;
  readonly limits?: Limits;
}

/** A request that was admitted. */
export interface AdmittedRequest {
  readonly token: TokenView;
  readonly body: unknown;
  readonly requestId: string;
  /** Address of the pages of this service that a browser can open; `null`: a browser cannot reach it. */
  readonly baseUrl: string | null;
}

export interface Endpoint {
  /** Answers the request. Throws nothing. */
  handle(request: IncomingMessage, response: ServerResponse, admitted: AdmittedRequest): Promise<void>;
  /** Ends all sessions, and all requests that are not answered. */
  close(): Promise<void>;
  readonly sessions: number;
}

/** Through the SDK, which passes on what it does not know. */
class Carried {
  readonly admitted: AdmittedRequest;

  constructor(admitted: AdmittedRequest) {
    this.admitted = admitted;
  }
}

interface Authorization {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: string[];
  readonly extra: { readonly carried: Carried };
}

/** Request in the form of Node's server, with the admission that the SDK passes on. */
type Authorized = IncomingMessage & { method: string; url: string; auth?: Authorization };

export function openEndpoint({ api, closing, started, limits = defaultLimits }: EndpointInput): Endpoint {
  const shared = { calls: new Calls(limits.rememberMs), states: new States(limits.rememberMs), limits, closing };
  const sessions = new Sessions(limits);
  const serverFor = (admitted: AdmittedRequest): McpServer =>
    serverWith({ ...shared, ...partsOf(api, admitted), started: (running) => started(admitted.token, running) });
  const modern = createMcpHandler(({ authInfo }) => serverFor(admittedIn(authInfo?.extra)), {
    legacy: 'reject',
  });
  const handleModern = toNodeHandler(modern);
  return {
    handle: async (raw, response, admitted) => {
      const request = authorized(raw, admitted);
      const { token, body } = admitted;
      const { 'mcp-session-id': id } = request.headers;
      const isOld =
        id !== undefined || request.method !== 'POST' || (await isLegacyRequest(await toWebRequest(request, body)));
      if (!isOld) return await handleModern(request, response, body);
      if (typeof id === 'string') return await inSession(sessions, id, { request, response, admitted });
      if (!isInitializeRequest(body))
        return refuse(response, 400, 'a request of this protocol needs a session: initialize first');
      if (!sessions.makeRoom(token.id)) return refuse(response, 429, 'all sessions of this token are in use');
      await openSession(sessions, serverFor(admitted), { request, response, admitted });
    },
    close: async () => {
      sessions.closeAll();
      await modern.close();
    },
    get sessions() {
      return sessions.size;
    },
  };
}

/** The id of the token stands for it: nothing of it reaches a handler. */
function authorized(request: IncomingMessage, admitted: AdmittedRequest): Authorized {
  const { id, scopes } = admitted.token;
  const auth = { token: id, clientId: id, scopes: [...scopes], extra: { carried: new Carried(admitted) } };
  return Object.assign(request, { method: request.method ?? '', url: request.url ?? '', auth });
}

function admittedIn(extra: Readonly<Record<string, unknown>> | undefined): AdmittedRequest {
  const carried = extra?.['carried'];
  if (carried instanceof Carried) return carried.admitted;
  throw new CaissonError('internal', 'a request of MCP came without its caller');
}

function partsOf(
  api: CaissonApi,
  { token, baseUrl }: AdmittedRequest,
): Pick<McpDependencies, 'api' | 'home' | 'caller' | 'scopes' | 'asking' | 'requestIdOf'> {
  const acting = apiOf(api, token);
  return {
    api: acting,
    home: api.config.home,
    caller: token.id,
    scopes: token.scopes,
    // A session of the old protocol has many requests.
    requestIdOf: ({ http }) => admittedIn(http?.authInfo?.extra).requestId,
    asking: {
      by: 'elsewhere',
      view: async (id) => await acting.approvals.get(id),
      answer: async (id, choice) => await acting.approvals.answer(id, choice, `${token.name} (${token.id})`),
      pageOf: (id) => (baseUrl === null ? null : `${baseUrl}/approvals/${id}`),
    },
  };
}

interface Request {
  readonly request: Authorized;
  readonly response: ServerResponse;
  readonly admitted: AdmittedRequest;
}

/** To another token it is as if there were none (API-08). */
async function inSession(sessions: Sessions, id: string, { request, response, admitted }: Request): Promise<void> {
  const session = sessions.find(id, admitted.token.id);
  if (session === null) return refuse(response, 404, 'there is no such session');
  const isStream = request.method === 'GET';
  const work = async (): Promise<void> => {
    await session.transport.handleRequest(request, response, admitted.body);
    if (isStream) return;
    await closed(response);
    if (!response.writableFinished) cancel(session, admitted.body);
  };
  await (isStream ? work() : sessions.during(id, work));
}

/** A caller that leaves cancels: the old protocol has no way back to an answer that was not taken. */
function cancel({ transport }: Session, body: unknown): void {
  for (const each of Array.isArray(body) ? body : [body]) {
    const requestId: unknown = Reflect.get(Object(each), 'id');
    if (typeof requestId !== 'string' && typeof requestId !== 'number') continue;
    transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  }
}

const closed = (response: ServerResponse): Promise<void> =>
  response.closed || response.writableFinished
    ? Promise.resolve()
    : new Promise((resolve) => response.once('close', () => resolve()));

async function openSession(
  sessions: Sessions,
  server: McpServer,
  { request, response, admitted }: Request,
): Promise<void> {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.add(id, { token: admitted.token.id, transport, server }),
    onsessionclosed: (id) => sessions.end(id),
  });
  await server.connect(transport);
  await transport.handleRequest(request, response, admitted.body);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: status === 404 ? -32_001 : -32_000, message } }),
  );
}
