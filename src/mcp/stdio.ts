/** The protocol on stdin and stdout, for a host that has started this process. Both revisions: the first message decides. */
import { randomBytes } from 'node:crypto';
import { finished, type Readable, type Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { CaissonApi } from '../service/api.ts';
import { apiOf } from '../service/owned.ts';
import { States } from './asking/state.ts';
import { Calls } from './calls.ts';
import { type Limits, usualLimits } from './limits.ts';
import type { Parts } from './parts.ts';
import { serverWith } from './server.ts';

const operator = 'operator';
const mostMessageBytes = 4 * 1024 * 1024;

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
  api: CaissonApi,
  { stdin, stdout, signal, say, limits = usualLimits }: StdioInput,
): Promise<void> {
  const parts = partsOf(api, limits, signal);
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const transport = new Transport(stdin, stdout, { maxBufferSize: mostMessageBytes });
  transport.closed = resolve;
  const onerror = (error: Error): void => say(error.message.slice(0, 300));
  const handle = serveStdio(() => serverWith(parts), { transport, onerror, maxSubscriptions: 0 });
  finished(stdin, { writable: false }, () => resolve());
  finished(stdout, { readable: false }, () => resolve());
  if (signal.aborted) resolve();
  signal.addEventListener('abort', () => resolve(), { once: true });
  await over;
  await handle.close();
}

/**
 * The host acts as a caller of the operator's, with an id of its own: a question of it is one that others see and answer, and
 * that the form of the host answers in the name of the operator. A service that stands behind `api` refuses that for its token.
 */
function partsOf(api: CaissonApi, limits: Limits, closing: AbortSignal): Parts {
  const caller = `mcp_${randomBytes(8).toString('hex')}`;
  const scopes = ['run', 'read'] as const;
  return {
    api: actingAs(api, caller),
    ...{ caller, scopes, limits, closing },
    asking: {
      by: 'form',
      view: async (id) => await api.approvals.get(id),
      answer: async (id, choice) => await api.approvals.answer(id, choice, 'the form of an MCP host'),
      pageOf: () => null,
    },
    calls: new Calls(limits.rememberMs),
    states: new States(limits.rememberMs),
    requestIdOf: () => null,
    started: () => undefined,
  };
}

function actingAs(api: CaissonApi, id: string): CaissonApi {
  const limits = { execs: null, requestsPerMinute: null };
  return apiOf(api, { id, owner: operator, scopes: ['run', 'read', 'admin'], bounds: null, limits });
}
