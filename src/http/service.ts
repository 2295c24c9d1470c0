/** What one running service holds beside its configuration. Made once for each `openApp`; nothing of it is module-global. */
import type { Limits } from '../mcp/limits.ts';
import type { CaissonApi } from '../service/api.ts';
import { Activity } from './home/activity.ts';
import { Strangers } from './hooks/strangers.ts';
import { Metrics } from './metrics/metrics.ts';
import { LiveExecs, type Reachable } from './socket/live.ts';
import { Tickets } from './socket/tickets.ts';
import { KeptResults } from './stream/kept-results.ts';
import { Starts } from './stream/starts.ts';

export interface Service {
  readonly api: CaissonApi;
  /** Execs that this process runs for clients. */
  readonly live: LiveExecs<Reachable>;
  /** What is about to run for clients. */
  readonly starts: Starts;
  readonly texts: KeptResults;
  readonly tickets: Tickets;
  readonly strangers: Strangers;
  readonly activity: Activity;
  readonly metrics: Metrics;
  /** Fires when the service stops: no exec is taken any more, and every stream ends with where to resume. */
  readonly closing: AbortSignal;
  readonly heartbeatMs: number;
  /** Absent: the usual ones. */
  readonly mcpLimits?: Limits;
}

export interface Times extends Pick<Service, 'heartbeatMs' | 'mcpLimits'> {}

export function serviceOf(api: CaissonApi, closing: AbortSignal, times: Times): Service {
  const activity = new Activity();
  return {
    ...{ api, closing, activity },
    ...times,
    live: new LiveExecs<Reachable>(() => activity.begin()),
    metrics: new Metrics(api, closing),
    starts: new Starts(),
    texts: new KeptResults(),
    tickets: new Tickets(() => performance.now()),
    strangers: new Strangers(() => performance.now()),
  };
}
