/** Makes the state of one running service. */
import type { CaissonApi } from '../service/api.ts';
import { PageLogins } from './dashboard/logins.ts';
import { Activity } from './held/activity.ts';
import { Strangers } from './hooks/strangers.ts';
import { Metrics } from './metrics/metrics.ts';
import { LiveExecs, type Reachable } from './held/live.ts';
import { Tickets } from './held/tickets.ts';
import { KeptResults } from './held/kept-results.ts';
import { Starts } from './held/starts.ts';
import type { Service } from './types.ts';

export interface Times extends Pick<Service, 'heartbeatMs' | 'mcpLimits'> {}

export function serviceOf(api: CaissonApi, closing: AbortSignal, times: Times): Service {
  const activity = new Activity();
  return {
    api,
    closing,
    activity,
    ...times,
    live: new LiveExecs<Reachable>(() => activity.begin()),
    metrics: new Metrics(api, closing),
    starts: new Starts(),
    texts: new KeptResults(),
    tickets: new Tickets(() => performance.now()),
    logins: new PageLogins(() => performance.now()),
    strangers: new Strangers(() => performance.now()),
  };
}
