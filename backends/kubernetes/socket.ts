/** One WebSocket to exec or attach, with a deadline for the way there. */
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { CaissonError } from '../../src/errors.ts';
import { untilAborted } from '../shared/abort.ts';
import type { Api } from './api.ts';
import { type Protocol, protocols } from './channels.ts';
import { Refusal } from './fault.ts';

/** A node that hangs gives no answer. */
const connectMs = 15_000;
const mostMessage = 16 * 2 ** 20;
const mostWords = 64 * 1024;

export interface Opening {
  /** Below the pod: `exec` or `attach`, with its query. */
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
}

/** Paused: nothing is read before the caller has its handlers. Throws `Refusal` for an answer that is no WebSocket. */
export async function openSocket(api: Api, { path, signal }: Opening): Promise<WebSocket> {
  const { headers, ...secured } = await api.secured();
  const url = `${api.access.place.server.replace(/^https/, 'wss')}${path}`;
  const socket = new WebSocket(url, [...protocols], {
    ...secured,
    headers: { ...headers, 'user-agent': 'caisson' },
    perMessageDeflate: false,
    handshakeTimeout: connectMs,
    maxPayload: mostMessage,
    skipUTF8Validation: true,
  });
  return await untilAborted(opened(socket), signal, (late) => late.terminate());
}

async function opened(socket: WebSocket): Promise<WebSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>();
  socket.once('open', () => {
    socket.pause();
    resolve(socket);
  });
  const begun = performance.now();
  socket.once('error', (error) => reject(isOfHandshake(error, begun) ? noProtocol(error) : error));
  socket.once('unexpected-response', (_request, answer) => void refusalOf(answer).then(reject, reject));
  try {
    return await promise;
  } finally {
    // An error after this ends in the close of the socket.
    socket.on('error', () => undefined);
  }
}

async function refusalOf(answer: IncomingMessage): Promise<Refusal> {
  let text = '';
  for await (const chunk of answer as AsyncIterable<Buffer>)
    if (text.length < mostWords) text += chunk.toString('utf8');
  return new Refusal(answer.statusCode ?? 0, text, answer.headers['retry-after']);
}

export function protocolOf(socket: WebSocket): Protocol {
  const chosen = protocols.find((each) => each === socket.protocol);
  if (chosen !== undefined) return chosen;
  socket.terminate();
  throw noProtocol(null);
}

/** Errors of the way there have a code; one without was found in the answer, unless the time for it was over. */
function isOfHandshake(error: Error, begun: number): boolean {
  return !('code' in error) && performance.now() - begun < connectMs;
}

function noProtocol(cause: unknown): CaissonError {
  return new CaissonError('not_supported', 'the API server has no protocol for commands that reports their end', {
    cause,
    remedy: 'use Kubernetes 1.20 or newer, without a proxy that changes WebSockets',
  });
}
