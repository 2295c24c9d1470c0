/** What one running service holds beside its configuration. Made once for each `openApp`; nothing of it is module-global. */
import type { Limits } from '../mcp/limits.ts';
import type { CaissonApi, Running } from '../service/api.ts';
import { Strangers } from './hooks/strangers.ts';
import { LiveExecs } from './socket/live.ts';
import { Tickets } from './socket/tickets.ts';

export interface Service {
  readonly api: CaissonApi;
  /** Execs that this process runs for clients. */
  readonly live: LiveExecs<Running>;
  readonly tickets: Tickets;
  readonly strangers: Strangers;
  /** Fires when the service stops: no exec is taken any more, and every stream ends with where to resume. */
  readonly closing: AbortSignal;
  readonly heartbeatMs: number;
  /** Absent: the usual ones. */
  readonly mcpLimits?: Limits;
}

export interface Times extends Pick<Service, 'heartbeatMs' | 'mcpLimits'> {}

export function serviceOf(api: CaissonApi, closing: AbortSignal, times: Times): Service {
  return {
    ...{ api, closing },
    ...times,
    live: new LiveExecs<Running>(),
    tickets: new Tickets(() => performance.now()),
    strangers: new Strangers(() => performance.now()),
  };
}
