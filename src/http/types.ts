/** Shapes of this room: what one running service holds, and the call that a route gets. */
import type { Limits } from '../mcp/limits.ts';
import type { CaissonApi, Options, TokenView } from '../service/api.ts';
import type { PageLogins } from './dashboard/logins.ts';
import type { Activity } from './held/activity.ts';
import type { KeptResults } from './held/kept-results.ts';
import type { LiveExecs, Reachable } from './held/live.ts';
import type { Starts } from './held/starts.ts';
import type { Tickets } from './held/tickets.ts';
import type { Strangers } from './hooks/strangers.ts';
import type { Metrics } from './metrics/metrics.ts';

/** State of one running service. Made once for each `openApp`; no module holds any of it. */
export interface Service {
  readonly api: CaissonApi;
  /** Execs that this process runs for clients. */
  readonly live: LiveExecs<Reachable>;
  /** What is about to run for clients. */
  readonly starts: Starts;
  readonly texts: KeptResults;
  readonly tickets: Tickets;
  readonly logins: PageLogins;
  readonly strangers: Strangers;
  readonly activity: Activity;
  readonly metrics: Metrics;
  /** Fires when the service stops: no exec is taken any more, and every stream ends with where to resume. */
  readonly closing: AbortSignal;
  readonly heartbeatMs: number;
  /** Absent: the usual ones. */
  readonly mcpLimits?: Limits;
}

/** Token of a request. */
export interface Bearer extends TokenView {
  /** Rights of the command line of this host, on the socket of the state directory. Absent: any other client. */
  readonly commandLine?: {
    /** It has the token of the person who answers as well: what is said with the request is decided. */
    readonly decides: boolean;
  };
  /** The login of the dashboard by which it came. Absent: a client with its token. */
  readonly login?: {
    readonly key: string;
    /** Ends what runs for it: streams and sockets. */
    readonly ended: AbortSignal;
  };
}

/** How the answer is to be written, by the Accept header. */
export type Form = 'json' | 'ndjson' | 'sse' | 'plain' | 'markdown';

/** What a handler is given. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Skills that the request names, on a route with `skills`. */
  readonly skills: { readonly skills?: readonly string[] };
  /** The API on behalf of the owner and token. */
  readonly api: CaissonApi;
  readonly token: Bearer;
  /** For the record: who answers or changes something. */
  readonly by: string;
  /** Fires when the client is gone before its answer is complete. */
  readonly signal: AbortSignal;
  readonly options: Options;
  readonly form: Form;
  /** The larger of `after` and Last-Event-ID. */
  readonly after: number;
  readonly service: Service;
  readonly requestId: string;
  readonly header: (name: string) => string | undefined;
  /** Takes the file that came, staged whole, on a route that takes bytes. */
  readonly upload: () => Promise<Upload>;
}

/** Removed when the answer is sent. */
export interface Upload {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}
