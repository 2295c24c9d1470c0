/** What stands before every request, also before an upgrade: name, origin, token, in this order, and before any route. */
import type { FastifyRequest } from 'fastify';
import { CaissonError } from '../errors.ts';
import type { Scope } from '../service/api.ts';
import { bearerOfLogin } from './dashboard/bearer.ts';
import { downloadTicketOf } from './dashboard/downloads.ts';
import { answerHeader, type HomeTokens } from './home/tokens.ts';
import { everyHeader, mayBeCalled, type Names } from './hooks/host.ts';
import { mayCall } from './hooks/origin.ts';
import { ticketIn, tokenIn } from './hooks/token.ts';
import { HttpRefusal, httpError } from './problems.ts';
import type { Bearer, Service } from './types.ts';

export interface Door extends Names {
  readonly origins: readonly string[];
  readonly secure: boolean;
}

/** Throws 421 for a name that is not of the service (RFC 9110, section 7.4), 403 for a page that may not call it. */
export function checkCaller(request: FastifyRequest, door: Door): void {
  const { rawHeaders, url = '', method } = request.raw;
  const hosts = everyHeader(rawHeaders, 'host');
  const isService = method === 'OPTIONS' && url === '*';
  if ((!url.startsWith('/') && !isService) || !mayBeCalled(hosts, door))
    throw httpError(
      421,
      'this service is not called by that name',
      'add the name to server.hosts, if it is one of the service',
    );
  const origins = everyHeader(rawHeaders, 'origin');
  const page = { host: hosts[0] ?? '', secure: door.secure, origins: door.origins };
  if (origins.length > 1 || !mayCall(origins[0], page))
    throw httpError(403, 'a web page of this origin may not call the service');
}

/**
 * `home`: the tokens of the command line, where the request came through the socket of the state directory. No limit counts
 * its requests, as none counts commands without a service. Throws 401, 429 for an owner or token with too many requests
 * in a minute, and 429 for an address that has shown too many wrong tokens.
 */
export async function callerOf(request: FastifyRequest, service: Service, home: HomeTokens | null): Promise<Bearer> {
  const { rawHeaders } = request.raw;
  const shown = tokenIn(everyHeader(rawHeaders, 'authorization'));
  const mine = shown === null ? null : home?.bearerOf(shown, everyHeader(rawHeaders, answerHeader));
  if (mine) return mine;
  const held = shown === null ? null : await bearerOf(shown, request, service);
  const ticket = held === null ? ticketOf(request) : null;
  const token = held ?? (ticket === null ? null : await byTicket(ticket, request, service));
  if (token !== null) {
    await service.api.tokens.admit(token);
    return token;
  }
  const isWrong = request.headers.authorization !== undefined || ticket !== null;
  const waitSeconds = isWrong ? service.strangers.count(request.ip) : null;
  if (waitSeconds === null) throw noTokenError();
  throw new HttpRefusal(429, tooManyTriesError(), { 'retry-after': String(waitSeconds) });
}

/** A socket has it as subprotocol, a download in its path. */
const ticketOf = (request: FastifyRequest): string | null =>
  request.ws ? ticketIn(request.headers['sec-websocket-protocol']) : downloadTicketOf(request);

/** A token, or the key of a login whose other half is the cookie. */
async function bearerOf(shown: string, request: FastifyRequest, service: Service): Promise<Bearer | null> {
  return (await bearerOfLogin(shown, request, service)) ?? (await service.api.tokens.authenticate(shown));
}

async function byTicket(ticket: string, request: FastifyRequest, service: Service): Promise<Bearer | null> {
  const issuer = service.tickets.redeem(ticket, request.raw.url ?? '');
  return issuer === null ? null : await bearerOf(issuer, request, service);
}

/** One of them is enough; the first is named where it is absent. */
export function checkScope({ scopes }: Pick<Bearer, 'scopes'>, scope: Scope, orScope = scope): void {
  if (!scopes.includes(scope) && !scopes.includes(orScope))
    throw new CaissonError('permission_denied', `this needs a token with the scope ${scope}`, {
      remedy: `caisson token create NAME --scope ${scope}`,
    });
}

const noTokenError = (): HttpRefusal =>
  httpError(401, 'no valid token', 'send Authorization: Bearer TOKEN, with a token of `caisson token create`');

const tooManyTriesError = (): CaissonError =>
  new CaissonError('resource_exhausted', 'too many requests without a valid token came from this address');
