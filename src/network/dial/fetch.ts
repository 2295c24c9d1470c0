/** `fetch` whose every connection goes to an address that was judged, and that follows redirects by itself. */
import { Agent, fetch as send, type Response as Answer } from 'undici';
import { abortError, CaissonError } from '../../errors.ts';
import { maxRedirects } from '../address/url.ts';
import { type DialInput, vettedConnector } from './connect.ts';
import { firstHop, type Hop, locationOf, nextHop } from './request.ts';
import { refuseBlocked, vettedAddresses, type VetInput } from './vet.ts';

export interface DiallerInput extends VetInput, Omit<DialInput, 'vet'> {}

export class Dialler {
  readonly #parts: DiallerInput;
  readonly #agent: Agent;
  #closing: Promise<void> | null = null;

  constructor(parts: DiallerInput) {
    this.#parts = parts;
    const vet = (url: URL): Promise<readonly string[]> => vettedAddresses(url, parts);
    this.#agent = new Agent({ connect: vettedConnector({ ...parts, vet }) });
  }

  /** Throws `policy_denied` for what may not be connected to, `unavailable` for what does not answer. */
  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const signal = init.signal ?? (input instanceof Request ? input.signal : null);
    let hop = await firstHop(input, init);
    for (let count = 0; ; count += 1) {
      const answer = await this.#send(hop, signal);
      const location = locationOf(answer);
      if (location === null || init.redirect === 'manual') return nativeOf(answer, hop.url, count > 0);
      await answer.body?.cancel();
      if (init.redirect === 'error') throw new CaissonError('policy_denied', 'the answer is a redirect');
      if (count === maxRedirects) throw new CaissonError('policy_denied', `more than ${maxRedirects} redirects`);
      hop = nextHop(hop, answer.status, location);
    }
  };

  /** Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#agent.close();
    return this.#closing;
  }

  /** A connection that is there already was judged when it was made; the host of each request is judged again. */
  async #send({ url, method, headers, body }: Hop, signal: AbortSignal | null): Promise<Answer> {
    refuseBlocked(url, this.#parts);
    const init = { method, headers: headers.map(([name, value]) => [name, value] as [string, string]), body };
    try {
      return await send(url, { ...init, signal, redirect: 'manual', duplex: 'half', dispatcher: this.#agent });
    } catch (error) {
      throw fetchError(error, url, signal);
    }
  }
}

function fetchError(error: unknown, { host }: URL, signal: AbortSignal | null): CaissonError {
  if (signal?.aborted === true) return abortError(signal);
  const cause = error instanceof Error ? error.cause : null;
  if (cause instanceof CaissonError) return cause;
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? `: ${cause.code}` : '';
  return new CaissonError('unavailable', `${host} does not answer${code}`, { cause: error });
}

/** Statuses that have no body: `Response` refuses one for them. */
const bodiless = new Set([101, 204, 205, 304]);

/** Turns an answer into a `Response`, the class that callers know. */
function nativeOf(answer: Answer, url: URL, redirected: boolean): Response {
  const { status, statusText } = answer;
  const body = bodiless.has(status) ? null : answer.body;
  const response = new Response(body, { status, statusText, headers: [...answer.headers] });
  return Object.defineProperties(response, { url: { value: url.href }, redirected: { value: redirected } });
}
