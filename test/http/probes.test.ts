/** RFC 9110 and 9457 by 38 requests, each as its bytes: what a client, a proxy or a probe may send, and what it gets. */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { send } from './raw.ts';
import { openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
  await world.ask('/v1/sandboxes', { body: { task: 'build' } });
});
afterAll(async () => await world[Symbol.asyncDispose]());
beforeEach(() => {
  writeFileSync(join(world.root, 'there'), 'hello');
  rmSync(join(world.root, 'absent'), { force: true });
});

interface Probe {
  readonly what: string;
  /** `FILE` stands for the path of the files, below which `there` is a file and `absent` is none. */
  readonly line: string;
  /** Beside Host and Authorization; one of the same name takes their place, and an empty one leaves them out. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
  readonly head?: RegExp;
  readonly text?: RegExp;
  /** Content of the file `there` afterwards. Default: as it was. */
  readonly stored?: string;
}

const digest = createHash('sha256').update('hello').digest('hex');
const list = 'GET /v1/sandboxes';
const bytes = { 'Content-Type': 'application/octet-stream' };
const json = { 'Content-Type': 'application/json' };
const noToken = { Authorization: '' };
const put = (what: string, headers: Readonly<Record<string, string>>, rest: Omit<Probe, 'what' | 'line'>): Probe => ({
  what,
  line: 'PUT FILEthere',
  body: 'new',
  ...rest,
  headers: { ...bytes, ...headers },
});

const probes: readonly Probe[] = [
  { what: 'GET of a health check needs no token', line: 'GET /healthz', headers: noToken, status: 200 },
  { what: 'HEAD of it neither', line: 'HEAD /healthz', headers: noToken, status: 200, text: /^$/ },
  { what: 'HEAD of a list has its length', line: 'HEAD /v1/sandboxes', status: 200, head: /^content-length: [1-9]/im },
  { what: 'HEAD of a file has its size', line: 'HEAD FILEthere', status: 200, head: /^content-length: 5\r?$/im },
  { what: 'HEAD of a file that is absent', line: 'HEAD FILEabsent', status: 404, text: /^$/ },
  { what: 'HEAD without a token', line: 'HEAD /v1/sandboxes', headers: noToken, status: 401, text: /^$/ },
  { what: 'a path that there is not', line: 'GET /v1/none', status: 404 },
  {
    what: 'a method that a list does not take',
    line: 'DELETE /v1/sandboxes',
    status: 405,
    head: /^allow: GET, HEAD, OPTIONS, POST\r?$/im,
  },
  {
    what: 'a method that a sandbox does not take',
    line: 'PUT /v1/sandboxes/build',
    status: 405,
    head: /^allow: DELETE, GET, HEAD, OPTIONS, PATCH\r?$/im,
  },
  {
    what: 'a method of an extension',
    line: 'PROPFIND /openapi.json',
    status: 405,
    head: /^allow: GET, HEAD, OPTIONS\r?$/im,
  },
  {
    what: 'OPTIONS of a path',
    line: 'OPTIONS /v1/sandboxes',
    status: 204,
    head: /^allow: GET, HEAD, OPTIONS, POST\r?$/im,
  },
  { what: 'OPTIONS of the service', line: 'OPTIONS *', status: 204, head: /^allow: DELETE, GET, HEAD/im },
  { what: 'no token', line: list, headers: noToken, status: 401, head: /^www-authenticate: bearer/im },
  {
    what: 'a token that does not hold',
    line: list,
    headers: { Authorization: `Bearer caisson_${'a'.repeat(43)}` },
    status: 401,
    head: /^www-authenticate: bearer/im,
  },
  { what: 'a token of another scope', line: list, headers: { Authorization: 'PERSON' }, status: 403 },
  { what: 'the name of another service', line: list, headers: { Host: 'evil.com' }, status: 421 },
  { what: 'no name', line: list, headers: { Host: '' }, status: 400 },
  { what: 'a page of another origin', line: list, headers: { Origin: 'https://evil.com' }, status: 403 },
  { what: 'a type that is not given', line: list, headers: { Accept: 'text/html' }, status: 406 },
  { what: 'any type', line: list, headers: { Accept: 'text/html, */*;q=0.1' }, status: 200, text: /"items":/ },
  {
    what: 'a body of another type',
    line: 'POST /v1/sandboxes',
    headers: { 'Content-Type': 'text/plain' },
    body: '{"task":"x"}',
    status: 415,
  },
  {
    what: 'JSON in a coding',
    line: 'POST /v1/sandboxes',
    headers: { ...json, 'Content-Encoding': 'gzip' },
    body: 'not read',
    status: 415,
    head: /^accept-encoding: identity\r?$/im,
  },
  put('a file in a coding', { 'Content-Encoding': 'gzip' }, { status: 415, head: /^accept-encoding: identity\r?$/im }),
  put('a part of a file', { 'Content-Range': 'bytes 0-1/5' }, { status: 400 }),
  put('a file without a type', { 'Content-Type': '' }, { status: 415, text: /application\/octet-stream/ }),
  put('a new file over one that is there', { 'If-None-Match': '*' }, { status: 412 }),
  { ...put('a new file', { 'If-None-Match': '*' }, { status: 200 }), line: 'PUT FILEabsent' },
  put('a file over another one', { 'If-Match': '"00"' }, { status: 412 }),
  put('a file over any', { 'If-Match': '*' }, { status: 200, stored: 'new' }),
  put('a file over one of several', { 'If-Match': `"x", "${digest}"` }, { status: 200, stored: 'new' }),
  put('a file by its date', { 'If-Unmodified-Since': 'Fri, 27 Nov 2026 00:00:00 GMT' }, { status: 428 }),
  { what: 'GET of a file', line: 'GET FILEthere', status: 200, head: new RegExp(`^etag: "${digest}"`, 'im') },
  {
    what: 'GET of a file that the client has',
    line: 'GET FILEthere',
    headers: { 'If-None-Match': `"${digest}"` },
    status: 304,
    text: /^$/,
  },
  {
    what: 'a range, which may be ignored',
    line: 'GET FILEthere',
    headers: { Range: 'bytes=0-1' },
    status: 200,
    text: /^hello$/,
  },
  put(
    'a body that waits for leave',
    { Expect: '100-continue' },
    { status: 100, text: /^HTTP\/1\.1 200 /, stored: 'new' },
  ),
  {
    what: 'a socket without an upgrade',
    line: 'GET /v1/sandboxes/build/pty',
    status: 426,
    head: /^upgrade: websocket\r?$/im,
  },
  { what: 'a part of a path that is too long', line: `GET /v1/sandboxes/${'x'.repeat(600)}`, status: 414 },
  { what: 'a parameter given twice', line: 'GET FILEthere&path=/other', status: 422 },
];

it('has as many probes as were made by hand', () => {
  expect(new Set(probes.map(({ what }) => what)).size).toBe(38);
});

it.each(probes)('$what: $status', async ({ line, headers = {}, body = '', status, head, text, stored = 'hello' }) => {
  const [method = '', path = ''] = line.replace('FILE', filesAt()).split(' ');
  const answer = await send(world.port, [`${method} ${path} HTTP/1.1`, ...headerLines(headers, body)], body);
  expect(answer.status).toBe(status);
  if (head !== undefined) expect(answer.head).toMatch(head);
  if (text !== undefined) expect(answer.body).toMatch(text);
  expect(readFileSync(join(world.root, 'there'), 'utf8')).toBe(stored);
  // Without a name, the parser itself has answered; what only gives leave says no more.
  if (headers['Host'] !== '' && status !== 100) expect(answer.head).toMatch(/^x-request-id: \S/im);
  if (status < 400 || method === 'HEAD' || headers['Host'] === '') return;
  expect(answer.head).toMatch(/^content-type: application\/problem\+json/im);
  expect(JSON.parse(answer.body)).toMatchObject({ status, title: expect.any(String), code: expect.any(String) });
});

const filesAt = (): string => `/v1/sandboxes/build/files?path=${encodeURIComponent(`${world.root}/`)}`;

function headerLines(given: Readonly<Record<string, string>>, body: string): readonly string[] {
  const { Authorization = `Bearer ${world.agent}`, ...rest } = given;
  const all = {
    Host: `127.0.0.1:${world.port}`,
    Connection: 'close',
    ...(body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    Authorization: Authorization === 'PERSON' ? `Bearer ${world.person}` : Authorization,
    ...rest,
  };
  return Object.entries(all).flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`]));
}
