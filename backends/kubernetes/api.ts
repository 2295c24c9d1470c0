/** Requests to the API server, over connections that stay. */
import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { CaissonError } from '../../src/errors.ts';
import { throwIfAborted, untilAborted } from '../shared/abort.ts';
import { parseJson } from '../shared/labels.ts';
import type { Access, Identity } from './access.ts';
import { fault, isRefusal, Refusal } from './fault.ts';
import { pause } from './pause.ts';

const answerMs = 30_000;
const mostBytes = 64 * 2 ** 20;
const mostSockets = 16;
const mostTries = 6;
const firstPauseMs = 100;
const longestPauseMs = 5000;

export interface Asking {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PATCH';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Reads as in "could not ...". */
  readonly doing: string;
  readonly signal?: AbortSignal | undefined;
}

/** Certificates of a connection by TLS, and the name that the server must have. */
export interface Secured {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly servername?: string;
}

export class Api {
  readonly access: Access;
  #agent: { readonly identity: Identity; readonly agent: Agent } | null = null;

  constructor(access: Access) {
    this.access = access;
  }

  /** Every request of this backend may arrive twice: names and uids say what is meant. So what may pass is asked again. */
  async ask(asking: Asking): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      throwIfAborted(asking.signal === undefined ? {} : { signal: asking.signal });
      try {
        return await untilAborted(this.#once(asking), asking.signal);
      } catch (error) {
        if (isRefusal(error, 401)) this.access.forget();
        if (tries >= mostTries || !mayPass(error, tries)) throw error;
        await pause(pauseMs(error, tries), asking.signal);
      }
    }
  }

  /** Errors as codes. */
  async do(asking: Asking): Promise<unknown> {
    try {
      return await this.ask(asking);
    } catch (error) {
      throw fault(error, asking.doing);
    }
  }

  /** An answer whose body goes on, such as that of a watch. */
  async open(asking: Asking): Promise<IncomingMessage> {
    const answer = await this.#send(asking, null);
    if (answer.statusCode === 200) return answer;
    throw new Refusal(answer.statusCode ?? 0, await textOf(answer), answer.headers['retry-after']);
  }

  async secured(): Promise<Secured & { readonly headers: Identity['headers'] }> {
    const { headers, certificate, key } = await this.access.identity();
    const { authority, place } = this.access;
    return {
      headers,
      ...(authority === null ? {} : { ca: authority }),
      ...(certificate === null || key === null ? {} : { cert: certificate, key }),
      ...(place.serverName === null ? {} : { servername: place.serverName }),
    };
  }

  close(): void {
    this.#agent?.agent.destroy();
    this.#agent = null;
  }

  async #once(asking: Asking): Promise<unknown> {
    const answer = await this.#send(asking, await this.#agentOf());
    const text = await textOf(answer);
    const { statusCode: status = 0 } = answer;
    if (status < 200 || status > 299) throw new Refusal(status, text, answer.headers['retry-after']);
    return parseJson(text);
  }

  async #send({ method, path, query = {}, body }: Asking, agent: Agent | null): Promise<IncomingMessage> {
    const { headers, ...secured } = await this.secured();
    const text = body === undefined ? null : JSON.stringify(body);
    const url = `${this.access.place.server}${path}?${new URLSearchParams(query).toString()}`;
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request(url, {
      method,
      ...secured,
      agent: agent ?? new Agent({ keepAlive: false }),
      headers: {
        ...headers,
        accept: 'application/json',
        'user-agent': 'caisson',
        ...(text === null ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
      },
    });
    sent.setTimeout(answerMs, () => sent.destroy(new Error('no answer in time')));
    sent.on('error', reject);
    sent.on('response', (answer) => {
      sent.setTimeout(0);
      resolve(answer);
    });
    sent.end(text ?? undefined);
    return await promise;
  }

  /** Connections of an earlier login are given up. */
  async #agentOf(): Promise<Agent> {
    const identity = await this.access.identity();
    if (this.#agent?.identity === identity) return this.#agent.agent;
    this.close();
    const agent = new Agent({ keepAlive: true, maxSockets: mostSockets });
    this.#agent = { identity, agent };
    return agent;
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  answer.setTimeout(answerMs, () => answer.destroy(new Error('the answer stopped')));
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new CaissonError('internal', 'the API server answers with more than it was asked for');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A limit on requests, an answer that is missing, or one of a proxy. A login that has ended is asked for once more. */
function mayPass(error: unknown, tries: number): boolean {
  if (error instanceof CaissonError) return false;
  if (!(error instanceof Refusal)) return true;
  const { status } = error;
  return status === 429 || status >= 500 || (status === 401 && tries === 1);
}

function pauseMs(error: unknown, tries: number): number {
  const asked = error instanceof Refusal ? error.retryAfterMs : null;
  const wanted = Math.min(longestPauseMs, asked ?? firstPauseMs * 2 ** (tries - 1));
  // Apart from each other: those that were refused together must not come back together.
  return wanted * (0.75 + Math.random() / 2);
}
