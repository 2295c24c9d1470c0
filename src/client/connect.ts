/** Connects to a service: one object with the nouns of the library. Nothing is asked before the first call. */
import { CaissonError } from '../errors.ts';
import { approvals } from '../service/verbs/approvals.ts';
import { config } from '../service/verbs/config.ts';
import { installation } from '../service/verbs/installation.ts';
import { pool } from '../service/verbs/pool.ts';
import { secrets } from '../service/verbs/secrets.ts';
import { taskHandle } from '../service/verbs/task-handle.ts';
import { tokens } from '../service/verbs/tokens.ts';
import { accessOf, backendsOf, imagesOf, mcpServersOf } from './nouns/admin.ts';
import { execsOf } from './nouns/execs.ts';
import { filesOf } from './nouns/files.ts';
import { made } from './nouns/made.ts';
import { networkOf } from './nouns/network.ts';
import { policyOf } from './nouns/policy.ts';
import { processesOf } from './nouns/processes.ts';
import { auditOf, eventsOf, historyOf } from './nouns/records.ts';
import { sandboxesOf } from './nouns/sandboxes.ts';
import { sessionsOf } from './nouns/sessions.ts';
import type { Transport } from './transport.ts';
import type { CaissonClient, ServerTimed } from './types.ts';
import { WebTransport } from './web/transport.ts';
import type { Fetch, SocketMaker } from './web/types.ts';
import { Wire } from './wire/wire.ts';

export interface ConnectInput {
  /** Address of the service, which `caisson serve` prints. */
  readonly url?: string;
  /** Token that `caisson token create` has made. */
  readonly token: string;
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** Instead of the global one. */
  readonly WebSocket?: typeof globalThis.WebSocket;
  /** Instead of `url`, `fetch` and `WebSocket`: another way to the service. */
  readonly transport?: Transport;
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For how long the client tries to reach the service again once it has lost it; absent: a minute. 0: it does not. */
  readonly resumeMs?: number;
  /** Called with each step that an answer of the service names in `Server-Timing`, and its milliseconds. */
  readonly onTimed?: ServerTimed;
}

const defaultResumeMs = 60_000;

/** Throws `invalid_argument` for an address or a token that is malformed. */
export function connectCaisson({
  token,
  headers = {},
  resumeMs = defaultResumeMs,
  onTimed,
  ...input
}: ConnectInput): CaissonClient {
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
    throw new CaissonError('invalid_argument', 'a client of the service needs a token', {
      remedy: 'make one with `caisson token create NAME --scope run --scope read`',
    });
  if (!(Number.isFinite(resumeMs) && resumeMs >= 0))
    throw new CaissonError('invalid_argument', 'resumeMs is a number of milliseconds from 0 on');
  const transport = input.transport ?? webTransport(input);
  const own = { ...headers, authorization: `Bearer ${token}` };
  return clientOf(new Wire({ transport, resumeMs, headers: own, onTimed }));
}

function webTransport({ url, fetch, WebSocket }: Pick<ConnectInput, 'url' | 'fetch' | 'WebSocket'>): Transport {
  if (url === undefined)
    throw new CaissonError('invalid_argument', 'a client of the service needs its address', {
      remedy: 'give the `url` that `caisson serve` prints, or a `transport`',
    });
  return new WebTransport({
    url,
    fetch: given(isFetch, 'fetch', fetch),
    WebSocket: given(isMaker, 'WebSocket', WebSocket),
  });
}

/** That of the caller, or the global one. */
function given<T>(isThere: (value: unknown) => value is T, name: string, own: unknown): T {
  const value: unknown = own ?? Reflect.get(globalThis, name);
  if (isThere(value)) return value;
  throw new CaissonError('failed_precondition', `this platform has no ${name}`, { remedy: `give one as \`${name}\`` });
}

const isFetch = (value: unknown): value is Fetch => typeof value === 'function';
const isMaker = (value: unknown): value is SocketMaker => typeof value === 'function';

function clientOf(wire: Wire): CaissonClient {
  const execs = execsOf(wire);
  const close = async (): Promise<void> => await wire.close();
  const client: CaissonClient = {
    run: (request, options) => execs.run(request, options),
    exec: (request, options) => execs.start(request, options),
    execs,
    close,
    sandboxes: sandboxesOf(wire),
    processes: processesOf(wire),
    sessions: sessionsOf(wire),
    files: filesOf(wire),
    pool: made(wire, 'pool', { rows: pool, byHand: {} }),
    approvals: made(wire, 'approvals', { rows: approvals, byHand: {} }),
    policy: policyOf(wire),
    network: networkOf(wire),
    audit: auditOf(wire),
    history: historyOf(wire),
    events: eventsOf(wire),
    images: imagesOf(wire),
    access: accessOf(wire),
    tokens: made(wire, 'tokens', { rows: tokens, byHand: {} }),
    backends: backendsOf(wire),
    mcpServers: mcpServersOf(wire),
    config: made(wire, 'config', { rows: config, byHand: {} }),
    installation: made(wire, 'installation', { rows: installation, byHand: {} }),
    secrets: made(wire, 'secrets', { rows: secrets, byHand: {} }),
    task: (id) => taskHandle(client, id),
    [Symbol.asyncDispose]: close,
  };
  return client;
}
