/** What the tools of one connection act with. */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { ApprovalView, Choice, Scope } from '../service/api.ts';
import type { McpApi, StartedCommand } from './api.ts';
import type { States } from './asking/state.ts';
import type { Calls } from './calls.ts';
import type { Limits } from './limits.ts';

/** How a person is asked about a command of this connection. */
export interface Asking {
  /**
   * `form`: the host shows it, and its answer counts. `elsewhere`: an answer that comes through this connection would be one of
   * the token that asked.
   */
  readonly by: 'form' | 'elsewhere';
  readonly view: (approvalId: string) => Promise<ApprovalView>;
  /** Answers the question; through a connection with `elsewhere` it is refused, which is on record. */
  readonly answer: (approvalId: string, choice: Choice) => Promise<void>;
  /** Address of the page on which a person can answer; `null`: no page exists. */
  readonly pageOf: (approvalId: string) => string | null;
}

export interface McpDependencies {
  /** On behalf of the caller. */
  readonly api: McpApi;
  /** The state directory, which no answer names. */
  readonly home: string;
  /** Id of the caller: what is remembered for one is not there for another. */
  readonly caller: string;
  readonly scopes: readonly Scope[];
  readonly asking: Asking;
  readonly calls: Calls;
  readonly states: States;
  readonly limits: Limits;
  /** Id under which the log has the request; `null`: nothing is logged. */
  readonly requestIdOf: (ctx: ServerContext) => string | null;
  /** Fires when no call waits any longer: what runs goes on. */
  readonly closing: AbortSignal;
  readonly started: (running: StartedCommand) => void;
}
