/** One request of a chain of redirects, and the next one. Pure, but for a body that is read once. */
import { CaissonError } from '../../errors.ts';

export interface Hop {
  readonly url: URL;
  readonly method: string;
  /** Lower-case names. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | ReadableStream | null;
}

/**
 * What may go to another origin. Everything else may be a credential: not only `authorization` and `cookie` are, but every
 * header with a key of some service's own making.
 */
const harmless = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'content-language',
  'user-agent',
]);
/** They describe the connection, or another host than that of the URL. */
const ours = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

const redirects = new Set([301, 302, 303, 307, 308]);

/** Throws `invalid_argument`. */
export async function firstHop(input: string | URL | Request, init: RequestInit): Promise<Hop> {
  if (init.integrity !== undefined) throw new CaissonError('invalid_argument', 'integrity is not checked here');
  const request = input instanceof Request ? input : null;
  const url = readUrl(typeof input === 'string' ? input : 'href' in input ? input.href : input.url);
  const { bytes, type } = await readBody(init.body ?? request?.body ?? null);
  const headers = new Headers(init.headers ?? request?.headers);
  if (type !== null && !headers.has('content-type')) headers.set('content-type', type);
  return {
    url,
    method: (init.method ?? request?.method ?? 'GET').toUpperCase(),
    headers: [...headers].filter(([name]) => !ours.has(name)),
    body: bytes,
  };
}

function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new CaissonError('invalid_argument', 'the URL is not absolute');
  if (url.username === '' && url.password === '') return url;
  throw new CaissonError('invalid_argument', `the URL of ${url.host} holds a user or a password`, {
    remedy: 'send an authorization header',
  });
}

interface Body {
  readonly bytes: Hop['body'];
  /** Value that `fetch` would send as `content-type`. `null`: it would send none. */
  readonly type: string | null;
}

/** Everything but a stream is read now, so that it can be sent again. */
async function readBody(body: NonNullable<RequestInit['body']> | null): Promise<Body> {
  if (body === null || body instanceof ReadableStream) return { bytes: body, type: null };
  const packed = new Response(body);
  return { bytes: new Uint8Array(await packed.arrayBuffer()), type: packed.headers.get('content-type') };
}

/** Location to which an answer redirects its client. `null`: it does not redirect. */
export function locationOf({ status, headers }: Pick<Response, 'status' | 'headers'>): string | null {
  return redirects.has(status) ? headers.get('location') : null;
}

/** Follows the Fetch standard (HTTP-redirect fetch), but is stricter across origins. Throws `policy_denied`. */
export function nextHop(hop: Hop, status: number, location: string): Hop {
  const url = URL.parse(location, hop.url.href);
  if (url === null) throw redirectError('to what is no URL');
  if (url.username !== '' || url.password !== '') throw redirectError(`to ${url.host} with a user or a password`);
  const dropsBody = (status === 303 && hop.method !== 'HEAD') || (status <= 302 && hop.method === 'POST');
  const method = dropsBody && hop.method !== 'GET' ? 'GET' : hop.method;
  const body = dropsBody ? null : hop.body;
  const crosses = url.origin !== hop.url.origin;
  if (body !== null && crosses) throw redirectError(`to ${url.host}, where the body would go to another origin`);
  if (body instanceof ReadableStream) throw redirectError('of a body that is a stream, which cannot be sent again');
  const kept = hop.headers.filter(([name]) => !crosses || harmless.has(name));
  return { url, method, body, headers: body === null ? kept.filter(([name]) => !name.startsWith('content-')) : kept };
}

const redirectError = (how: string): CaissonError => new CaissonError('policy_denied', `the answer redirects ${how}`);
