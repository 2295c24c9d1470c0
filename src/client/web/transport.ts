/** Over `fetch` and `WebSocket`: on Node, Bun, Deno and in browsers. */
import { abortError, CaissonError } from '../../errors.ts';
import type { Transport, WireRequest, WireResponse, WireSocket } from '../transport.ts';
import { unreachableError } from '../wire/away.ts';
import { bytesOf, textOf } from '../wire/body.ts';
import { responseError } from '../wire/problem.ts';
import { shaped } from '../wire/shape.ts';
import { streamsUploads } from './platform.ts';
import { openSocket } from './socket.ts';
import type { Fetch, FetchAnswer, Reader, SocketMaker } from './types.ts';

export interface WebInput {
  /** Address of the service, such as `http://127.0.0.1:7480`. */
  readonly url: string;
  readonly fetch: Fetch;
  readonly WebSocket: SocketMaker;
}

/** The most bytes of a streamed body, which is held whole because a browser cannot send it as it is read. */
const maxUploadBytes = 256 * 1024 * 1024;

export class WebTransport implements Transport {
  readonly #base: string;
  readonly #fetch: Fetch;
  readonly #maker: SocketMaker;

  constructor({ url, fetch, WebSocket }: WebInput) {
    this.#base = baseOf(url);
    this.#fetch = fetch;
    this.#maker = WebSocket;
  }

  async request({ method, path, headers, body, signal }: WireRequest): Promise<WireResponse> {
    const sent = await bodyOf(body);
    // Not as a method: that of a browser belongs to its window.
    const fetch = this.#fetch;
    try {
      const answer = await fetch(this.#base + path, {
        method,
        headers,
        redirect: 'error',
        ...sent,
        ...(signal === undefined ? {} : { signal }),
      });
      return { status: answer.status, headers: headersOf(answer), body: chunksOf(answer, signal) };
    } catch (error) {
      if (signal?.aborted === true) throw abortError(signal);
      throw unreachableError('the service cannot be reached', { sent: !wasRefused(error), cause: error });
    }
  }

  /** Opens a socket by a ticket: a browser cannot send a token with a socket, and here all platforms do alike. */
  async open(path: string, headers: WireRequest['headers'], signal?: AbortSignal): Promise<WireSocket> {
    const response = await this.request({
      method: 'POST',
      path: '/v1/tickets',
      body: JSON.stringify({ path }),
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await textOf(response.body, 1024 * 1024);
    if (response.status !== 201) throw responseError(response.status, text);
    const { ticket } = shaped<{ readonly ticket: string }>(parsed(text), { ticket: 'text' });
    const url = this.#base.replace(/^http/, 'ws') + path;
    return await openSocket(new this.#maker(url, ['caisson.v1', `caisson.ticket.${ticket}`]), signal);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function baseOf(url: string): string {
  const base = URL.parse(url);
  if (base === null || !/^https?:$/.test(base.protocol) || base.username !== '' || base.search + base.hash !== '')
    throw new CaissonError('invalid_argument', 'the address of a service is http://HOST:PORT or https://HOST', {
      remedy: 'give the address that `caisson serve` prints; the token goes into `token`',
    });
  return base.href.replace(/\/$/, '');
}

async function bodyOf(body: WireRequest['body']): Promise<{ readonly body?: unknown; readonly duplex?: 'half' }> {
  if (body === undefined) return {};
  if (typeof body === 'string' || body instanceof Uint8Array) return { body };
  if (!streamsUploads()) return { body: await bytesOf(body, maxUploadBytes) };
  return { body: streamOf(body), duplex: 'half' };
}

function streamOf(body: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const parts = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const next = await parts.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: async () => void (await parts.return?.()),
    },
    { highWaterMark: 0 },
  );
}

function headersOf({ headers }: FetchAnswer): Readonly<Record<string, string>> {
  const all: Record<string, string> = {};
  headers.forEach((value, name) => (all[name.toLowerCase()] = value));
  return all;
}

async function* chunksOf({ body }: FetchAnswer, signal?: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const chunk = await readFrom(reader, signal);
      if (chunk === null) return;
      yield chunk;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** `null`: the end. */
async function readFrom(reader: Reader, signal: AbortSignal | undefined): Promise<Uint8Array | null> {
  try {
    const { done, value } = await reader.read();
    if (done) return null;
    if (value instanceof Uint8Array) return value;
  } catch (error) {
    if (signal?.aborted === true) throw abortError(signal);
    throw unreachableError('the connection to the service was lost', { sent: true, cause: error });
  }
  throw new CaissonError('internal', '`fetch` gave a body that is no bytes');
}

/** Codes of connections that were never made, as Node and Bun name them. */
const refusals = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ConnectionRefused',
]);

function wasRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return [error, cause].some((each) => refusals.has(String(Reflect.get(Object(each), 'code'))));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
