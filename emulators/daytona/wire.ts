/** HTTP of the service: who may call, bodies, answers. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from './refuse.ts';

const maxBodyBytes = 4 * 2 ** 20;

export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Arguments in the path, in order. */
  readonly args: readonly string[];
  readonly query: URLSearchParams;
  /** Parsed JSON. */
  readonly body: unknown;
}

/** `undefined`: the response has been sent, or has no body. */
export type Handler = (call: Call) => unknown;

export interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly handle: Handler;
  /** The handler reads the body itself. */
  readonly streams?: true;
}

/** `:name` stands for one part of the path. */
export function route(line: string, handle: Handler, more: { readonly streams?: true } = {}): Route {
  const [method = '', pattern = ''] = line.split(' ');
  return { method, path: new RegExp(`^${pattern.replaceAll(/:[a-z]+/g, '([^/]{1,200})')}$`), handle, ...more };
}

/** Another site in a browser on this machine must not reach it: by a name that leads here, or by a form. */
export function checkCaller(request: IncomingMessage, port: number, key: string | null): void {
  const { host, origin, authorization } = request.headers;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) throw new ApiError(403, 'unexpected Host header');
  if (origin !== undefined) throw new ApiError(403, 'requests of web pages are refused');
  if (key === null || !isSame(authorization ?? '', `Bearer ${key}`)) throw new ApiError(401, 'Unauthorized');
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export async function jsonBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new ApiError(413, 'the body is too long');
    chunks.push(chunk);
  }
  if (bytes === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new ApiError(400, 'the body is not JSON');
  }
}

export function send(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

export function sendError(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const known = error instanceof ApiError ? error : new ApiError(500, 'Internal Server Error');
  if (!(error instanceof ApiError)) console.error('the emulator failed:', error);
  for (const [name, value] of Object.entries(known.headers)) if (!response.headersSent) response.setHeader(name, value);
  send(response, known.status, {
    statusCode: known.status,
    message: known.message,
    ...(known.code === null ? {} : { code: known.code }),
    source: known.source,
    path: request.url ?? '',
    method: request.method ?? '',
    timestamp: new Date().toISOString(),
  });
}
