/** The built dashboard over an API that is made up, for as many rows and events as no test makes for real. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { nonceMark } from '../../../src/http/dashboard/files.ts';
import { pageHeaders } from '../../../src/http/dashboard/headers.ts';

const built = new URL('../../../dashboard/dist/', import.meta.url).pathname;

export interface FakeApi extends AsyncDisposable {
  readonly url: string;
  readonly events: () => number;
}

export interface Amounts {
  readonly rows: number;
  readonly eventsPerMinute: number;
  /** Answers of its own, by path: an object as JSON, a list as NDJSON. */
  readonly answers?: (path: string) => object | null;
}

const stepMs = 20;

export async function openFakeApi({ rows, eventsPerMinute, answers }: Amounts): Promise<FakeApi> {
  let count = 0;
  const timers = new Set<ReturnType<typeof setInterval>>();
  const follow = (response: ServerResponse): void => {
    let owed = 0;
    let lastMs = performance.now();
    const timer = setInterval(() => {
      const nowMs = performance.now();
      owed += (eventsPerMinute / 60_000) * (nowMs - lastMs);
      lastMs = nowMs;
      for (; owed >= 1; owed -= 1) response.write(`${JSON.stringify(eventOf((count += 1), rows))}\n`);
    }, stepMs);
    timers.add(timer);
    response.once('close', () => clearInterval(timer));
  };
  const server = createServer((request, response) => answer(request, response, { rows, follow, answers }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    events: () => count,
    [Symbol.asyncDispose]: async () => {
      for (const timer of timers) clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Parts {
  readonly rows: number;
  readonly follow: (response: ServerResponse) => void;
  readonly answers: Amounts['answers'] | undefined;
}

function answer(
  { url = '/', method }: IncomingMessage,
  response: ServerResponse,
  { rows, follow, answers }: Parts,
): void {
  const { pathname, searchParams } = new URL(url, 'http://fake');
  const json = (value: object, status = 200): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (pathname === '/') {
    const page = readFileSync(join(built, 'index.html'), 'utf8').replaceAll(nonceMark, 'nonce');
    return void response.writeHead(200, pageHeaders('nonce')).end(page);
  }
  if (pathname === '/blank')
    return void response.writeHead(200, { 'content-type': 'text/html' }).end('<title>blank</title>');
  if (pathname.startsWith('/assets/')) return sendAsset(pathname.slice('/assets/'.length), response);
  if (pathname === '/login' && method === 'POST') return json({ key: `page_${'k'.repeat(43)}`, token }, 201);
  const isFollowed = pathname === '/v1/events' && searchParams.get('follow') !== 'false';
  const own = isFollowed ? null : (answers?.(pathname) ?? (pathname === '/v1/events' ? [] : null));
  if (Array.isArray(own)) {
    const lines = own.map((each) => `${JSON.stringify(each)}\n`);
    return void response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(lines.join(''));
  }
  if (own !== null) return json(own);
  if (pathname === '/v1/events/kept') return json({ oldest: 0, newest: 0 });
  if (isFollowed) {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    return follow(response);
  }
  if (pathname === '/v1/sandboxes') return json(sandboxes(rows, Number(searchParams.get('cursor') ?? 0)));
  if (pathname.startsWith('/v1/execs/'))
    return void response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end();
  if (pathname === '/v1/execs') return json({ items: execs(rows), nextCursor: null });
  if (/^\/v1\/sandboxes\/[^/]+\/samples$/.test(pathname)) return json({ recent: samples(), minutes: [] });
  if (pathname === '/v1/top') return json({ items: [] });
  if (pathname === '/v1/status') return json({ concerns: [], ...status });
  if (pathname === '/v1/approvals') return json({ items: [] });
  return json({ code: 'not_found', detail: 'it is not made up', status: 404 }, 404);
}

const token = {
  name: 'fake',
  owner: 'operator',
  scopes: ['run', 'read', 'approve', 'admin'],
  expiresAt: null,
  isBound: false,
};

function sendAsset(name: string, response: ServerResponse): void {
  if (!readdirSync(join(built, 'assets')).includes(name)) return void response.writeHead(404).end();
  const type = name.endsWith('.css') ? 'text/css' : 'text/javascript';
  response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' });
  response.end(gzipSync(readFileSync(join(built, 'assets', name))));
}

const idOf = (at: number): string => `sbx_${String(at).padStart(16, '0')}`;
const startedAt = new Date().toISOString();
const where = (at: number) => ({
  backend: 'docker',
  taskId: `task-${at}`,
  sandboxId: idOf(at),
  host: null,
  resource: null,
  recreated: false,
});

function sandboxes(rows: number, from: number) {
  const items = Array.from({ length: Math.min(1000, rows - from) }, (_, at) => ({
    id: idOf(from + at),
    taskId: `task-${from + at}`,
    backend: 'docker',
    name: 'x',
    place: null,
    effective: null,
    state: 'ready',
    labels: { group: String(at % 7) },
    directory: null,
    degraded: [],
    fingerprint: 'f',
    lostSince: null,
    spec: { image: 'busybox', network: 'filtered', cwd: '/workspace' },
    createdAt: startedAt,
    usedAt: startedAt,
    expiresAt: null,
    ephemeral: false,
    generation: 1,
    idleTimeoutMs: null,
    lifetimeMs: null,
  }));
  return { items, nextCursor: from + 1000 < rows ? String(from + 1000) : null };
}

const status = { level: 'well', version: '1', backends: [], disk: {}, audit: {} };

const samples = () =>
  Array.from({ length: 36 }, (_, at) => ({
    at: new Date(Date.now() - (36 - at) * 10_000).toISOString(),
    cpuCores: Math.random(),
    memoryBytes: 2e7 + Math.round(Math.random() * 1e6),
    pids: 3,
    receivedPerSecond: 0,
    sentPerSecond: null,
  }));

const execs = (rows: number) =>
  Array.from({ length: Math.min(500, rows) }, (_, at) => ({
    id: `exec_${at}`,
    startedAt,
    command: ['sh', '-c', `echo ${Math.random()}`],
    where: where(at),
    exit: null,
  }));

const types = ['exec.started', 'exec.ended', 'network.denied'] as const;

const eventOf = (seq: number, rows: number) => ({
  seq,
  type: types[seq % 3] ?? 'exec.started',
  at: new Date().toISOString(),
  owner: 'operator',
  author: 'tok_0',
  reason: null,
  data: { taskId: `task-${seq % rows}`, sandboxId: idOf(seq % rows), execId: `exec_${seq}`, count: 1 },
});
