/** The protocol on stdin and stdout, for a host that has started this process. Both revisions: the first message decides. */
import { randomBytes } from 'node:crypto';
import { finished, type Readable, type Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { CaissonApi } from '../service/api.ts';
import { apiOf } from '../service/owned.ts';
import type { McpApi } from './api.ts';
import { States } from './asking/state.ts';
import { Calls } from './calls.ts';
import { type Limits, defaultLimits } from './limits.ts';
import type { McpDependencies } from './parts.ts';
import { serverWith } from './server.ts';

const operator = 'operator';
const maxMessageBytes = 4 * 1024 * 1024;

export interface StdioInput {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Fires when the process is to end. */
  readonly signal: AbortSignal;
  /** Takes what is wrong with messages, for people. */
  readonly say: (text: string) => void;
  readonly limits?: Limits;
}

/** Closes itself at a message that is too large. */
class Transport extends StdioServerTransport {
  closed: () => void = () => undefined;

  override async close(): Promise<void> {
    await super.close();
    this.closed();
  }
}

/** Until the host has closed stdin, or the signal fires. What then still waits for an answer is canceled. */
export async function serveOnStdio(
  way: Way,
  { stdin, stdout, signal, say, limits = defaultLimits }: StdioInput,
): Promise<void> {
  const parts = partsOf(way, limits, signal);
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const transport = new Transport(stdin, stdout, { maxBufferSize: maxMessageBytes });
  transport.closed = resolve;
  const onerror = (error: Error): void => say(error.message.slice(0, 300));
  const handle = serveStdio(() => serverWith(parts), { transport, onerror });
  finished(stdin, { writable: false }, () => resolve());
  finished(stdout, { readable: false }, () => resolve());
  if (signal.aborted) resolve();
  signal.addEventListener('abort', () => resolve(), { once: true });
  await over;
  await handle.close();
}

/** What the tools act with, which depends on whether a service runs. */
export type Way = Pick<McpDependencies, 'api' | 'home' | 'caller' | 'scopes' | 'asking'>;

function partsOf(way: Way, limits: Limits, closing: AbortSignal): McpDependencies {
  return {
    ...way,
    limits,
    closing,
    calls: new Calls(limits.rememberMs),
    states: new States(limits.rememberMs),
    requestIdOf: () => null,
    started: () => undefined,
  };
}

/**
 * In this process. The host acts as a caller of the operator's, with an id of its own: a question of it is one that others see and
 * answer, and that the form of the host answers in the name of the operator.
 */
export function embedded(api: CaissonApi): Way {
  const caller = callerId();
  return {
    api: actingAs(api, caller),
    caller,
    scopes,
    home: api.config.home,
    asking: {
      by: 'form',
      view: async (id) => await api.approvals.get(id),
      answer: async (id, choice) => await api.approvals.answer(id, choice, 'the form of an MCP host'),
      pageOf: () => null,
    },
  };
}

/** Through a service, by a token that asks: a form would be answered by the same token, which the service refuses. */
export function through(api: McpApi, { home, url }: { readonly home: string; readonly url: string }): Way {
  return {
    api,
    home,
    scopes,
    caller: callerId(),
    asking: {
      by: 'elsewhere',
      view: async (id) => await api.approvals.get(id),
      answer: async (id, choice) => await api.approvals.answer(id, choice, ''),
      pageOf: (id) => (url.startsWith('http') ? `${url}/approvals/${id}` : null),
    },
  };
}

const scopes = ['run', 'read'] as const;
const callerId = (): string => `mcp_${randomBytes(8).toString('hex')}`;

function actingAs(api: CaissonApi, id: string): CaissonApi {
  const limits = { execs: null, requestsPerMinute: null };
  return apiOf(api, { id, owner: operator, scopes: ['run', 'read', 'admin'], bounds: null, limits });
}
