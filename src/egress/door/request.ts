/**
 * What a client of the proxy asks for, read strictly: Node's parser has read the message, and this reads what it leaves to
 * its user. A request that two programs could read in two ways is refused. Pure.
 */
import { bareHost } from '../../values/host-pattern.ts';
import type { Target } from './types.ts';

export interface PlainRequest {
  readonly target: Target;
  readonly method: string;
  /** Path and query of the request that is sent on. */
  readonly path: string;
  /** Names and values in turn, as `http.request` takes them. */
  readonly headers: readonly string[];
}

export interface ProxyRequest {
  readonly method: string;
  readonly url: string;
  readonly httpVersion: string;
  readonly rawHeaders: readonly string[];
}

/** RFC 9110, 7.6.1, and what belongs to the connection with the proxy. */
const ofConnection = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const authority = /^(\[[0-9A-Fa-f:.]{2,45}\]|[\w.-]{1,255}):(\d{1,5})$/;
/** A target has no fragment, which is not sent (RFC 9110, 7.1), and neither spaces nor control characters. */
const absolute = /^http:\/\/([^/?#@\\]{1,300})([/?][\x21\x22\x24-\x7e]*)?$/i;

const originForm = /^\/[\x21\x22\x24-\x7e]*$/;

export const tlsPort = 443;

/** The target of CONNECT: a host and a port, both. `null`: it cannot be read. */
export function readAuthority(text: string): Target | null {
  const [, host = '', digits] = authority.exec(text) ?? [];
  const name = host === '' ? null : bareHost(host);
  const port = Number(digits);
  return name === null || port < 1 || port > 65_535 ? null : { name, port };
}

/** Reads the target of a whole CONNECT request; a text says why the request is refused, with status 400. */
export function readConnect({ url, httpVersion, rawHeaders }: Omit<ProxyRequest, 'method'>): Target | string {
  const headers = pairsOf(rawHeaders);
  // RFC 9110, 9.3.6: CONNECT has no body, and bytes that look like one would be the tunnel's.
  if (['content-length', 'transfer-encoding'].some((name) => valuesOf(headers, name).length > 0))
    return 'CONNECT has no body';
  return versionProblem(httpVersion) ?? readAuthority(url) ?? 'the target of CONNECT is no host with a port';
}

/** A text says why it is refused, with status 400. `inside`: the target of the CONNECT within which it came. */
export function readPlain(asked: ProxyRequest, inside: Target | null = null): PlainRequest | string {
  const { method, url, httpVersion, rawHeaders } = asked;
  const { target, rest } = inside === null ? absoluteOf(url) : { target: inside, rest: originForm.exec(url)?.[0] };
  if (target === null || rest === undefined)
    return inside === null ? 'the target is no absolute http: URL' : 'the target is no path';
  if (target.port === tlsPort) return `port ${tlsPort} is for TLS`;
  const headers = pairsOf(rawHeaders);
  const problem =
    versionProblem(httpVersion) ?? hostProblem(headers, { target, httpVersion }) ?? lengthProblem(headers);
  if (problem !== null) return problem;
  const isChunked = valuesOf(headers, 'transfer-encoding').length > 0;
  return {
    target,
    method,
    path: rest.startsWith('/') ? rest : `/${rest}`,
    headers: ['host', shownHost(target), ...kept(headers), ...(isChunked ? ['transfer-encoding', 'chunked'] : [])],
  };
}

/** Headers that go on to the other side, of a request or of an answer. */
export function keptHeaders(rawHeaders: readonly string[]): readonly string[] {
  return kept(pairsOf(rawHeaders));
}

function absoluteOf(url: string): { readonly target: Target | null; readonly rest: string } {
  const [, place = '', rest = ''] = absolute.exec(url) ?? [];
  return { target: withPort(place), rest };
}

type Pair = readonly [name: string, value: string];

const withPort = (place: string): Target | null => readAuthority(/:\d*$/.test(place) ? place : `${place}:80`);

const shownHost = ({ name, port }: Target): string =>
  `${name.includes(':') ? `[${name}]` : name}${port === 80 ? '' : `:${port}`}`;

/** Node's parser takes a line that ends before its version for HTTP/0.9, and reads headers behind it, which that has not. */
const versionProblem = (version: string): string | null =>
  version === '1.0' || version === '1.1' ? null : 'the version of HTTP is neither 1.0 nor 1.1';

/** The host of the target is what is judged; another one in the header would be what the server goes by. */
function hostProblem(
  headers: readonly Pair[],
  { target, httpVersion }: { readonly target: Target; readonly httpVersion: string },
): string | null {
  const hosts = valuesOf(headers, 'host');
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion !== '1.0')) return 'there must be one Host header';
  const [host] = hosts;
  const named = host === undefined ? target : withPort(host);
  return named?.name === target.name && named.port === target.port ? null : 'the Host header names another host';
}

/** RFC 9112, 6.3: both lengths at once, or several, are what requests are smuggled with. */
function lengthProblem(headers: readonly Pair[]): string | null {
  const [codings, lengths] = [valuesOf(headers, 'transfer-encoding'), valuesOf(headers, 'content-length')];
  if (codings.length + lengths.length > 1) return 'the length of the body is given twice';
  if (codings.some((coding) => coding.toLowerCase() !== 'chunked')) return 'the transfer coding is not chunked';
  return lengths.every((length) => /^\d{1,15}$/.test(length)) ? null : 'the content length is no number';
}

function kept(headers: readonly Pair[]): readonly string[] {
  const named = valuesOf(headers, 'connection').flatMap((value) => value.toLowerCase().split(','));
  const dropped = new Set(named.map((name) => name.trim()).filter((name) => name !== 'content-length'));
  return headers.flatMap(([name, value]) =>
    ofConnection.has(name.toLowerCase()) || dropped.has(name.toLowerCase()) ? [] : [name, value],
  );
}

const valuesOf = (headers: readonly Pair[], wanted: string): readonly string[] =>
  headers.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : []));

function pairsOf(raw: readonly string[]): readonly Pair[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
}
