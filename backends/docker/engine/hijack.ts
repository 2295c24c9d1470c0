/** Attaches to a process: a request whose connection becomes the raw stream in both directions. */
import {
  Agent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex, Readable } from 'node:stream';
import { parse } from './json.ts';
import { toEngineError } from './fault.ts';
import type { Request } from './rest.ts';

/** How to reach the engine with node:http, or node:https when there are certificates. */
export interface Way {
  readonly tls: boolean;
  readonly options: RequestOptions;
  readonly endpoint: string;
}

export interface Hijacked {
  readonly input: Readable;
  readonly output: Duplex;
  /** Bytes that came together with the head of the answer. */
  readonly head: Buffer;
}

const maxErrorBytes = 64 * 1024;

/** Without a body nothing is sent: Podman takes one that it does not expect for the first bytes of the stream. */
export interface Attaching extends Pick<Request, 'what' | 'path' | 'body' | 'quiet'> {
  /** Called when the connection is there, immediately before the request leaves. */
  readonly onSent?: (() => void) | undefined;
}

export function hijack(way: Way, { what, path, body, quiet = false, onSent }: Attaching): Promise<Hijacked> {
  const { promise, resolve, reject } = Promise.withResolvers<Hijacked>();
  const fail = (error: unknown): void => reject(toEngineError(error, { what, endpoint: way.endpoint, quiet }));
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
  const upgrade = { Connection: 'Upgrade', Upgrade: 'tcp' };
  const request = raw(way, { method: 'POST', path, headers: { ...headers, ...upgrade } });
  request.on('error', fail);
  request.on('socket', (socket) => socket.once('connect', () => onSent?.()));
  request.on('upgrade', (_response, socket, head) => resolve({ input: socket, output: socket, head }));
  request.on('response', (response) => {
    // Older engines and some proxies answer 200 and take the connection over without an upgrade.
    if (response.statusCode === 200) resolve({ input: response, output: response.socket, head: Buffer.alloc(0) });
    else readRefusal(response, fail);
  });
  request.end(text);
  return promise;
}

/** On a connection of its own. */
export function raw(way: Way, options: Pick<RequestOptions, 'method' | 'path' | 'headers'>): ClientRequest {
  return way.tls
    ? httpsRequest({ ...way.options, ...options, agent: false })
    : httpRequest({ ...way.options, ...options, agent: new Agent(withoutServerName) });
}

/**
 * For agents of sockets, which need no name of a server. Without it Node tests whether the host's name is an IP address, by an
 * expression that takes milliseconds to compile.
 */
export const withoutServerName = { keepAlive: false, servername: '' } as const;

function readRefusal(response: IncomingMessage, fail: (error: unknown) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxErrorBytes) chunks.push(chunk);
    else response.destroy();
  });
  response.on('close', () => fail({ statusCode: response.statusCode, json: parse(Buffer.concat(chunks).toString()) }));
}
