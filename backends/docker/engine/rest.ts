/** One request to the engine: method, path, query, body in; JSON or a byte stream out. */
import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { untilAborted } from '../../shared/abort.ts';
import { toEngineError } from './fault.ts';
import { parse } from './json.ts';

export interface Request {
  readonly what: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** Without a query. Ids and names in it are ours or the engine's. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  readonly upload?: Readable;
  /** For the registry, in a header. */
  readonly authconfig?: Readonly<Record<string, string>>;
  readonly quiet?: boolean;
  readonly signal?: AbortSignal | undefined;
}

const expected = { 200: true, 201: true, 202: true, 204: true, 304: true } as const;

export interface Client {
  readonly docker: Docker;
  readonly endpoint: string;
}

export function ask(client: Client, request: Request): Promise<unknown> {
  return untilAborted(readAnswer(client, request), request.signal);
}

/** Read here, since docker-modem waits for the end of an answer that a broken connection never brings. */
async function readAnswer(client: Client, request: Request): Promise<unknown> {
  const answer = asStream(await dial(client, request));
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of answer.iterator()) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  } catch (error) {
    throw toEngineError(error, { what: request.what, endpoint: client.endpoint, quiet: request.quiet ?? false });
  }
  const body = Buffer.concat(chunks).toString();
  return body === '' ? null : (parse(body) ?? body);
}

/** The answer as it comes. The caller reads it to its end or destroys it. */
export async function open(client: Client, request: Request): Promise<Readable> {
  const answer = dial(client, request).then(asStream);
  return untilAborted(answer, request.signal, (stream) => void stream.destroy());
}

function dial(client: Client, request: Request): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  // The signal stays out of these options: docker-modem runs util.inspect over all of them at every request.
  const options = {
    path: `${request.path}?`,
    method: request.method,
    options: { _query: request.query ?? {}, _body: request.body ?? {} },
    statusCodes: expected,
    isStream: true,
    ...(request.authconfig === undefined ? {} : { authconfig: request.authconfig }),
    ...(request.upload === undefined ? {} : { file: request.upload }),
  };
  client.docker.modem.dial(options, (error: unknown, answer: unknown) => {
    if (error)
      reject(toEngineError(error, { what: request.what, endpoint: client.endpoint, quiet: request.quiet ?? false }));
    else resolve(answer);
  });
  return promise;
}

function asStream(answer: unknown): Readable {
  if (isReadable(answer)) return answer;
  throw new TypeError('docker-modem gave no stream');
}

function isReadable(value: unknown): value is Readable {
  return typeof value === 'object' && value !== null && 'pipe' in value && 'destroy' in value;
}
