/** The answer to a request that fails, and to one that the HTTP server refuses before any route. All are problem documents. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { checkCaller, type Door } from './admit.ts';
import { headersOf, httpError, type Problem, problemOf } from './problems.ts';
import { afterBody } from './unread-body.ts';

/** Headers that each answer has. */
export const everyAnswer = ({ id }: FastifyRequest): Readonly<Record<string, string>> => ({
  'x-request-id': id,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
});

export function answerFailure(log: Logger): (error: unknown, request: FastifyRequest, reply: FastifyReply) => void {
  return (error, request, reply) => {
    const problem = problemOf(error, request.id);
    const { id: reqId, raw } = request;
    if (problem.status >= 500) log.error({ reqId, err: error }, 'request failed');
    // Such a request gets no answer, by which it would be logged.
    else if (raw.destroyed && !raw.complete) log.info({ reqId, status: problem.status }, 'request broke off');
    void reply.headers(headersOf(error, problem));
    // The parser of bodies closes the connection after what it refuses.
    if (reply.getHeader('connection') === 'close') return afterBody(raw, () => void send(reply, problem));
    void send(reply, problem);
  };
}

const send = (reply: FastifyReply, problem: Problem): FastifyReply =>
  reply.code(problem.status).type('application/problem+json').send(JSON.stringify(problem));

interface Refused {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly door: Door;
}

/** An address that the router cannot read: no hook has run. The name and the page are checked first, as for each request. */
export function refuseRequest(error: unknown, { request, reply, door }: Refused): void {
  void reply.headers(everyAnswer(request));
  try {
    checkCaller(request, door);
    void send(reply, problemOf(error, request.id));
  } catch (refused) {
    void send(reply, problemOf(refused, request.id));
  }
}

/** What the parser of HTTP refuses has no request yet. */
export function refuseGarbage(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const known = problemOf(error, '');
  const problem = known.status === 500 ? problemOf(httpError(400, 'this is not HTTP'), '') : known;
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Content-Type: application/problem+json',
    'Connection: close',
  ];
  socket.end([...head, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n'));
}
