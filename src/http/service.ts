/** What one running service holds beside its configuration. Made once for each `openApp`; nothing of it is module-global. */
import type { CaissonApi, Running } from '../service/api.ts';
import { Strangers } from './hooks/strangers.ts';
import { Metrics } from './metrics/metrics.ts';
import { LiveExecs } from './socket/live.ts';
import { Tickets } from './socket/tickets.ts';

export interface Service {
  readonly api: CaissonApi;
  /** Execs that this process runs for clients. */
  readonly live: LiveExecs<Running>;
  readonly tickets: Tickets;
  readonly strangers: Strangers;
  readonly metrics: Metrics;
  /** Fires when the service stops: no exec is taken any more, and every stream ends with where to resume. */
  readonly closing: AbortSignal;
  readonly heartbeatMs: number;
}

export function serviceOf(api: CaissonApi, closing: AbortSignal, heartbeatMs: number): Service {
  return {
    ...{ api, closing, heartbeatMs },
    live: new LiveExecs<Running>(),
    metrics: new Metrics(api, closing),
    tickets: new Tickets(() => performance.now()),
    strangers: new Strangers(() => performance.now()),
  };
}
