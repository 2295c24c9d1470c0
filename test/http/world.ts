/** A service on the local backend, with a token of each kind, on a port of its own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { openCaisson } from '../../src/main.ts';
import { serve, type Serving } from '../../src/http/serve.ts';
import type { Limits } from '../../src/mcp/limits.ts';
import type { CaissonApi, Scope } from '../../src/service/api.ts';

export interface World extends AsyncDisposable {
  readonly api: CaissonApi;
  readonly serving: Serving;
  readonly url: string;
  readonly port: number;
  readonly root: string;
  /** Tokens by their scopes. */
  readonly token: (...scopes: readonly Scope[]) => Promise<string>;
  /** A token with all scopes but `approve`. */
  readonly agent: string;
  /** A token with `approve` alone. */
  readonly person: string;
  readonly ask: (path: string, how?: TestRequest) => Promise<Response>;
  /** All that was logged. */
  readonly logged: () => string;
  readonly stop: () => Promise<void>;
}

export interface TestRequest {
  readonly method?: string;
  readonly token?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

interface HttpWorldOptions {
  readonly config?: string;
  readonly settings?: Partial<CaissonApi['config']['server']>;
  readonly heartbeatMs?: number;
  readonly mcpLimits?: Limits;
  readonly home?: string;
  readonly idleMs?: number;
}

export async function openWorld({
  config = '',
  settings = {},
  heartbeatMs,
  mcpLimits,
  home: given,
  idleMs,
}: HttpWorldOptions = {}): Promise<World> {
  const root = mkdtempSync(join(tmpdir(), 'caisson-http-'));
  const home = given ?? join(root, 'home');
  mkdirSync(home, { mode: 0o700, recursive: true });
  writeFileSync(join(home, 'config.yaml'), `terminal: {backend: local}\n${config}`, { mode: 0o600 });
  const env = {
    PATH: process.env['PATH'],
    HOME: root,
    DOCKER_HOST: `unix://${root}/none.sock`,
    CAISSON_SECURITY_TIRITH_ENABLED: 'false',
  };
  const api = await openCaisson({ home, env, cwd: root, approver: 'queue' });
  const log = new PassThrough();
  const chunks: Buffer[] = [];
  log.on('data', (chunk: Buffer) => chunks.push(chunk));
  const times = {
    ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
    ...(mcpLimits === undefined ? {} : { mcpLimits }),
    ...(idleMs === undefined ? {} : { idleMs }),
  };
  const server = { ...api.config.server, port: 0, shutdown_seconds: 0.5, ...settings };
  const serving = await serve(api, { settings: server, isPublic: false, log, ...times });
  const token = async (...scopes: readonly Scope[]): Promise<string> =>
    (await api.tokens.create({ name: scopes.join('-'), scopes }, 'test')).token;
  const agent = await token('run', 'read', 'admin');
  const person = await token('approve');
  const stop = async (): Promise<void> => {
    await serving.stop();
    await api.close();
  };
  return {
    api,
    serving,
    root,
    token,
    agent,
    person,
    stop,
    url: serving.url,
    port: Number(new URL(serving.url.replace('unix:', 'http://x')).port),
    logged: () => Buffer.concat(chunks).toString(),
    ask: (path, how = {}) => fetch(serving.url + path, requestOf(how, agent)),
    [Symbol.asyncDispose]: async () => {
      await stop();
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
}

function requestOf({ method, token, body, headers = {}, signal }: TestRequest, usual: string): RequestInit {
  const bytes = typeof body === 'string' || body instanceof Uint8Array;
  const type = body === undefined || bytes ? {} : { 'content-type': 'application/json' };
  const authorization = token === null ? {} : { authorization: `Bearer ${token ?? usual}` };
  return {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...type, ...authorization, ...headers },
    ...(body === undefined ? {} : { body: bytes ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  };
}

/** Lines of a stream of NDJSON, as they come. */
export async function* linesOf(response: Response): AsyncGenerator<Readonly<Record<string, unknown>>, void, void> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) yield Object(JSON.parse(line));
  }
}

export const everyLine = async (response: Response) => await Array.fromAsync(linesOf(response));
