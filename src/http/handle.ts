/** One request from its parts to its answer: the call is made, the route runs, the answer is cut to its schema and written. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CaissonError } from '../errors.ts';
import { traced, type TracedSpan } from '../lib/traced.ts';
import { apiOf } from '../service/owned.ts';
import { digestIn, stage } from './files/staging.ts';
import { headOfBytes, sendBytes, sendHead } from './files/send.ts';
import { formOf } from './form.ts';
import { type SaidName, type CallerInput, takeSaid } from './home/said.ts';
import { Bytes, Page, Stream, tagOf, Unchanged } from './reply.ts';
import type { Route } from './route.ts';
import { isTimed, Timing } from './timing.ts';
import { headOfEvents, sendEvents } from './stream/send.ts';
import type { Bearer, Call, Service } from './types.ts';

export async function handle(
  route: Route,
  service: Service,
  { request, reply, token }: { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly token: Bearer },
): Promise<unknown> {
  const gone = new AbortController();
  const { signal } = gone;
  const end = (): void => gone.abort(new CaissonError('canceled', 'the login has ended'));
  token.login?.ended.addEventListener('abort', end, { once: true });
  reply.raw.once('close', () => {
    token.login?.ended.removeEventListener('abort', end);
    if (!reply.raw.writableFinished) gone.abort(new CaissonError('canceled', 'the client has left'));
  });
  const uploads: Remove[] = [];
  const timing = new Timing(service.metrics);
  const call = callOf(route, service, { request, token, signal, uploads, timing });
  const span: TracedSpan<unknown> = {
    name: `${request.method} ${route.path}`,
    kind: 'server',
    attributes: { 'http.request.method': request.method, 'http.route': route.path },
    from: request.headers,
  };
  try {
    return await traced(span, async () => await answer(route, await route.run(call), { reply, call, timing }));
  } finally {
    // What a stream has begun ends with its head.
    if (request.method === 'HEAD') gone.abort(new CaissonError('canceled', 'only the head was asked for'));
    for (const remove of uploads) await remove();
  }
}

type Remove = () => Promise<void>;

interface Coming {
  readonly request: FastifyRequest;
  readonly token: Bearer;
  readonly signal: AbortSignal;
  /** What removes files that came. */
  readonly uploads: Remove[];
  readonly timing: Timing;
}

/** Headers by their names in lower case. */
export const headerIn =
  ({ headers }: FastifyRequest): Call['header'] =>
  (name) => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };

export function callOf(route: Route, service: Service, { request, token, signal, uploads, timing }: Coming): Call {
  const header = headerIn(request);
  const { after, query: given } = splitAfter(request.query, route);
  const { query, body, said, skills } = saidIn(route, { query: given, body: request.body }, token);
  return {
    params: request.params,
    query,
    body,
    skills,
    api: apiOf(service.api, { ...token, holdsHome: token.commandLine !== undefined }),
    token,
    by: `${token.name} (${token.id})`,
    signal,
    options: { signal, onTimed: timing.add, ...said },
    form: formOf(header('accept'), route),
    after: Math.max(after, seqOf(header('last-event-id'))),
    service,
    requestId: request.id,
    header,
    upload: async () => {
      const { body: bytes } = request;
      if (!(bytes instanceof Readable)) throw new CaissonError('invalid_argument', 'the body is to be bytes');
      const length = header('content-length');
      const share = service.api.installation.budget('staged_bytes').take(token.owner, 0);
      uploads.push(async () => share.free());
      const upload = await stage(bytes, {
        share,
        directory: join(service.api.config.home, 'uploads'),
        length: length === undefined ? null : Number(length),
        digest: digestIn(header('repr-digest'), header('content-digest')),
        signal,
      });
      // The share is freed when the file is gone.
      uploads.unshift(async () => await rm(upload.path, { force: true }));
      return upload;
    },
  };
}

function saidIn(route: Route, given: { readonly query: unknown; readonly body: unknown }, token: Bearer): CallerInput {
  const parts = { query: given.query, body: route.takes === 'bytes' ? undefined : given.body };
  const names = saidNames(route);
  return names.length > 0 ? takeSaid({ ...parts, names }, token) : { ...parts, said: {}, skills: {} };
}

/** Routes that run something or touch files take most of it. */
function saidNames({ path, skills, saysProject }: Route): readonly SaidName[] {
  if (saysProject === true) return ['project'];
  if (!/^\/v1\/(?:sandboxes|execs|processes)(?:\/|$)/.test(path)) return [];
  return ['rules', 'yolo', 'project', ...(skills === true ? (['skills'] as const) : [])];
}

/** `after` belongs to every stream, and to no schema of its own. */
function splitAfter(query: unknown, { events }: Route): { readonly after: number; readonly query: unknown } {
  if (events === undefined || typeof query !== 'object' || query === null) return { after: 0, query };
  const { after, ...rest }: { after?: unknown } = query;
  if (after !== undefined && (typeof after !== 'string' || !/^\d{1,15}$/.test(after)))
    throw new CaissonError('invalid_argument', '/query/after: a whole number from 0 on');
  return { after: Number(after ?? 0), query: rest };
}

const seqOf = (id: string | undefined): number => (id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : 0);

/** What is written past the reply has its headers too: among them those by which a browser shows no bytes of a sandbox. */
const headersOf = (reply: FastifyReply): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]));

async function answer(
  route: Route,
  result: unknown,
  { reply, call, timing }: { readonly reply: FastifyReply; readonly call: Call; readonly timing: Timing },
): Promise<unknown> {
  const times = isTimed(route) ? { 'server-timing': timing.header() } : {};
  const { signal } = call;
  const isHead = reply.request.method === 'HEAD';
  if (result instanceof Stream) {
    const headers = { ...headersOf(reply), ...times };
    reply.hijack();
    const framing = call.form === 'sse' ? 'sse' : 'ndjson';
    if (isHead) {
      sendHead(reply.raw, { ...headers, ...headOfEvents(framing) });
      return reply;
    }
    const { heartbeatMs, metrics, activity } = call.service;
    metrics.stream(reply.raw);
    if (isTimed(route)) timing.begins();
    const end = activity.stream();
    await sendEvents(reply.raw, result.events, { framing, headers, heartbeatMs, signal }).finally(end);
    return reply;
  }
  if (result instanceof Bytes) {
    const headers = { ...headersOf(reply), ...times };
    reply.hijack();
    if (isHead) sendHead(reply.raw, { ...headers, ...headOfBytes(result) });
    else await sendBytes(reply.raw, result, { headers, signal }).catch(() => reply.raw.destroy());
    await result.close();
    return reply;
  }
  void reply.headers(times);
  if (result instanceof Page) return await reply.type(`${result.type}; charset=utf-8`).send(result.text);
  if (result instanceof Unchanged) return await reply.code(304).headers(tagOf(result.sha256)).send();
  if (result === undefined) return await reply.code(204).send();
  const answered = route.answer.parse(result);
  if (route.conditional === true) void reply.headers(tagOf(digestOf(answered)));
  return await reply.code(route.status ?? 200).send(answered);
}

function digestOf(answered: unknown): string | null {
  const sha256: unknown = Reflect.get(Object(answered), 'sha256');
  return typeof sha256 === 'string' ? sha256 : null;
}
