/** Requests to the service: with the token, tried again where that is safe, answers checked and errors typed. */
import { abortError, CaissonError } from '../../errors.ts';
import { traced, type TracedSpan } from '../../lib/traced.ts';
import type { Transport, WireRequest, WireResponse, WireSocket } from '../transport.ts';
import type { ServerTimed } from '../types.ts';
import { unreachableError, isAway, wasNotSent } from './away.ts';
import { bytesOf, textOf } from './body.ts';
import { linesOf, type LineObject } from './lines.ts';
import { Patience } from './patience.ts';
import { eventError, responseError } from './problem.ts';
import { readTimes } from './server-timing.ts';

export interface Ask {
  readonly method: WireRequest['method'];
  readonly path: string;
  readonly query?: Query;
  /** JSON. */
  readonly body?: object;
  readonly bytes?: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** It may be sent twice: a GET, or a POST with an id of the client. Absent: as the method says. */
  readonly repeatable?: boolean;
}

/** What is undefined is left out; a list is given once for each item. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface WireInput {
  readonly transport: Transport;
  readonly headers: Readonly<Record<string, string>>;
  readonly resumeMs: number;
  readonly onTimed?: ServerTimed | undefined;
}

const maxErrorBytes = 1024 * 1024;

export class Wire {
  readonly #input: WireInput;
  readonly #closing = new AbortController();

  constructor(input: WireInput) {
    this.#input = input;
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  patience(): Patience {
    return new Patience(this.#input.resumeMs);
  }

  /** `undefined`: 204. */
  async json(ask: Ask): Promise<unknown> {
    return await this.#repeated(ask, async () => {
      const { status, body } = await this.#send(ask, 'application/json');
      const text = await textOf(body);
      return status === 204 || text === '' ? undefined : parsed(text);
    });
  }

  /** The whole of a body that may be large, read again from its beginning where its connection was lost. */
  async bytes(ask: Ask): Promise<{ readonly headers: WireResponse['headers']; readonly bytes: Uint8Array }> {
    return await this.#repeated(ask, async () => {
      const { headers, body } = await this.#send(ask);
      return { headers, bytes: await bytesOf(body) };
    });
  }

  /** Bytes as they come: once read, it is not tried again. */
  async stream(ask: Ask): Promise<WireResponse> {
    return await this.#repeated(ask, async () => await this.#send(ask));
  }

  /** Events of one connection. Throws what the stream says of itself, and `unavailable` where the service stops. */
  async *events(ask: Ask): AsyncGenerator<LineObject, void, void> {
    yield* await this.openedEvents(ask);
  }

  /** Resolves with the head of the answer. */
  async openedEvents(ask: Ask): Promise<AsyncGenerator<LineObject, void, void>> {
    const { body } = await this.#send(ask, 'application/x-ndjson');
    return eventsIn(body);
  }

  async open(path: string, signal: AbortSignal | undefined): Promise<WireSocket> {
    const { transport, headers } = this.#input;
    return await transport.open(path, headers, this.#signal(signal));
  }

  async close(): Promise<void> {
    this.#closing.abort(new CaissonError('canceled', 'the client was closed'));
    await this.#input.transport.close();
  }

  async #repeated<T>(ask: Ask, work: () => Promise<T>): Promise<T> {
    const patience = this.patience();
    const repeatable = ask.repeatable ?? ask.method === 'GET';
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(repeatable ? isAway(error) : wasNotSent(error) && !isStream(ask.bytes))) throw error;
        await patience.wait(error, this.#signal(ask.signal));
      }
    }
  }

  async #send({ method, path, query, body, bytes, headers, signal }: Ask, accept?: string): Promise<WireResponse> {
    const either = this.#signal(signal);
    if (either.aborted) throw abortError(either);
    const content = body === undefined ? bytes : JSON.stringify(body);
    const type = body === undefined ? 'application/octet-stream' : 'application/json';
    const span: TracedSpan<WireResponse> = {
      name: `caisson.client ${method}`,
      kind: 'client',
      attributes: { 'http.request.method': method, 'url.path': path },
    };
    const response = await traced(span, (fields) =>
      this.#input.transport.request({
        method,
        path: path + queryText(query),
        headers: {
          ...this.#input.headers,
          ...fields,
          ...(accept === undefined ? {} : { accept }),
          ...(content === undefined ? {} : { 'content-type': type }),
          ...headers,
        },
        ...(content === undefined ? {} : { body: content }),
        signal: either,
      }),
    );
    const { onTimed } = this.#input;
    if (onTimed !== undefined) readTimes(response.headers['server-timing'], onTimed);
    if (response.status >= 200 && response.status < 300) return response;
    throw await failed(response);
  }

  #signal(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.closing : AbortSignal.any([signal, this.closing]);
  }
}

async function* eventsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<LineObject, void, void> {
  for await (const event of linesOf(body)) {
    if (event['type'] === 'ping') continue;
    if (event['type'] === 'error') throw eventError(event['error']);
    if (event['type'] === 'closing') throw unreachableError('the service stops', { sent: true });
    yield event;
  }
}

/** A service that stops, and a proxy without a service behind it, count as unreachable: nothing was begun. */
async function failed({ status, headers, body }: WireResponse): Promise<CaissonError> {
  const error = responseError(status, await textOf(body, maxErrorBytes));
  const stops = status === 503 && headers['retry-after'] !== undefined;
  const isProxy = status === 502 || (status === 504 && !(headers['content-type'] ?? '').includes('problem+json'));
  return stops || isProxy ? unreachableError(error.message, { sent: true, cause: error }) : error;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CaissonError('internal', 'the service gave an answer that is no JSON', {
      remedy: 'check that the address is that of `caisson serve`',
    });
  }
}

const isStream = (bytes: Ask['bytes']): boolean => typeof bytes === 'object' && !(bytes instanceof Uint8Array);

function queryText(query: Query = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) given.append(name, String(each));
  return given.size === 0 ? '' : `?${given.toString()}`;
}
