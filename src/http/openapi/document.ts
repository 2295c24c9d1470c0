/** The OpenAPI 3.1 document, from the schemas that validate. Its schema language is JSON Schema 2020-12, which zod writes. */
import { z } from 'zod';
import { version } from '../../lib/build.ts';
import type { Route } from '../route.ts';
import { bodiless, problem } from '../schemas/common.ts';

type Json = Readonly<Record<string, unknown>>;

/** `tagOf`: the noun of a route. Absent in it: the route serves the service alone. */
export function documentOf(routes: readonly Route[], tagOf: ReadonlyMap<Route, string>): Json {
  const components = new Components();
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes)
    (paths[route.path] ??= {})[route.method.toLowerCase()] = {
      tags: [tagOf.get(route) ?? 'service'],
      ...operationOf(route, components),
    };
  const failure = {
    description: 'What is wrong, and what can be done.',
    ...content({ 'application/problem+json': components.schema(problem, 'output') }),
  };
  return {
    openapi: '3.1.1',
    info: { title: 'Caisson', version: version(), license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/', description: 'The service that gives this document.' }],
    security: [{ token: [] }],
    tags: [...new Set(routes.map((route) => tagOf.get(route) ?? 'service'))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components.all(),
      responses: { Problem: failure },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operationOf(route: Route, components: Components): Json {
  const { about, scope, body, method, path } = route;
  return {
    operationId: operationId(method, path),
    summary: about,
    'x-scope': scope,
    parameters: [
      ...parametersOf(route.params, 'path', components),
      ...queryOf(route, components),
      ...(route.keyed === true ? [idempotencyKey] : []),
      ...(route.conditional === true ? conditions : []),
    ],
    ...(takesBody(route) ? { requestBody: { required: true, ...content(bodyOf(route, body, components)) } } : {}),
    responses: {
      [String(statusOf(route))]: answerOf(route, components),
      ...(route.conditional === true && method === 'GET' ? { '304': { description: 'The client has the file.' } } : {}),
      '4XX': { $ref: '#/components/responses/Problem' },
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', maxLength: 257 },
  description: 'Stands for execId: a repeated request gives the same exec, and runs nothing.',
};

const conditions: readonly Json[] = [
  ['If-Match', 'Tags of which the file must have one, or * for any file; 412 otherwise.'],
  ['If-None-Match', 'Tags of which the file must have none, or * for no file; otherwise 412, and 304 for GET.'],
].map(([name, description]) => ({ name, in: 'header', required: false, schema: { type: 'string' }, description }));

const takesBody = ({ takes, body }: Route): boolean => takes === 'bytes' || body !== bodiless;
const gives = ({ answer }: Route): boolean => answer.type !== 'undefined';
const statusOf = (route: Route): number =>
  route.status ?? (gives(route) || route.events !== undefined || route.gives === 'bytes' ? 200 : 204);

/** `POST /v1/sandboxes/{id}/execs` is `postSandboxesExecs`, with `One` for what names one of many at the end. */
export function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/v1\//, '')
    .split('/')
    .map((word, index, all) => (word.startsWith('{') ? (index === all.length - 1 ? 'one' : '') : word))
    .flatMap((word) => word.split('-'));
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function queryOf(route: Route, components: Components): readonly Json[] {
  const after = {
    name: 'after',
    in: 'query',
    required: false,
    schema: { type: 'integer', minimum: 0 },
    description: 'Only events with a higher seq; Last-Event-ID does the same.',
  };
  return [...parametersOf(route.query, 'query', components), ...(route.events === undefined ? [] : [after])];
}

function parametersOf(schema: z.ZodType, place: 'path' | 'query', components: Components): readonly Json[] {
  const { properties, required } = components.plain(schema);
  return entriesOf(properties).map(([name, value]) => ({
    name,
    in: place,
    required: Array.isArray(required) && required.includes(name),
    ...described(value),
  }));
}

/** What a parameter is stands beside its schema. */
function described(value: unknown): Json {
  const { description, ...schema } = Object.fromEntries(entriesOf(value));
  return description === undefined ? { schema } : { description, schema };
}

function bodyOf({ takes }: Route, body: z.ZodType, components: Components): Json {
  return takes === 'bytes'
    ? { 'application/octet-stream': {} }
    : { 'application/json': components.schema(body, 'input') };
}

function answerOf(route: Route, components: Components): Json {
  const { answer, events } = route;
  const stream = events === undefined ? null : components.schema(events, 'output');
  return {
    description: stream === null ? route.about : `${route.about} The schema of a stream is that of one event.`,
    ...content({
      ...(stream === null ? {} : { 'application/x-ndjson': stream, 'text/event-stream': stream }),
      ...(gives(route) ? { 'application/json': components.schema(answer, 'output') } : {}),
      ...(route.gives === 'text' ? { 'text/markdown': {}, 'text/plain': {} } : {}),
      ...(route.gives === 'bytes' ? { 'application/octet-stream': {} } : {}),
    }),
  };
}

function content(types: Json): Json {
  const entries = Object.entries(types).map(([type, schema]) => [type, isEmpty(schema) ? {} : { schema }] as const);
  return entries.length === 0 ? {} : { content: Object.fromEntries(entries) };
}

const isEmpty = (schema: unknown): boolean => entriesOf(schema).length === 0;

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** Schemas with a name, each once. */
class Components {
  readonly #schemas = new Map<string, string>();

  /** Throws for a name that means one thing in a request and another in an answer. */
  schema(schema: z.ZodType, io: 'input' | 'output'): Json {
    const { $defs, ...rest } = this.plain(schema, io);
    for (const [name, value] of entriesOf($defs)) this.#add(name, value);
    return referring(rest);
  }

  plain(schema: z.ZodType, io: 'input' | 'output' = 'input'): Json {
    const { $schema: _dialect, ...written } = z.toJSONSchema(schema, { io, reused: 'inline', override: trimmed(io) });
    return written;
  }

  all(): Json {
    return Object.fromEntries(
      [...this.#schemas]
        .map(([name, text]): [string, unknown] => [name, JSON.parse(text)])
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  }

  #add(name: string, value: unknown): void {
    const rest = Object.fromEntries(entriesOf(value).filter(([key]) => key !== '$id' && key !== 'id'));
    const text = JSON.stringify(referring(rest));
    if ((this.#schemas.get(name) ?? text) !== text) throw new TypeError(`two schemas are called ${name}`);
    this.#schemas.set(name, text);
  }
}

function referring(schema: Json): Json {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
  const written: unknown = JSON.parse(text);
  return Object.fromEntries(entriesOf(written));
}

/** Bounds that every integer of JavaScript has say nothing; an answer may have further keys one day. */
function trimmed(io: 'input' | 'output'): (at: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }) => void {
  return ({ jsonSchema }) => {
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (io === 'output') delete jsonSchema.additionalProperties;
  };
}
