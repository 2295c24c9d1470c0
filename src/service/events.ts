/** Changes of state, as callers of the API follow them. */
import type { EventType } from '../store/events.ts';

export interface EventInput {
  /** The `seq` of the last one that is known. Absent: from the oldest that is kept. */
  readonly after?: number;
  /** Goes on with events to come. Default false. */
  readonly follow?: boolean;
  /** Absent: of all. */
  readonly owner?: string;
  /** A task id or a sandbox id. Absent: of all. */
  readonly task?: string;
  /** Only changes of this kind. Absent: of all kinds. */
  readonly type?: EventType;
}

export interface EventView {
  /** Grows over all owners. */
  readonly seq: number;
  /** Kind of change, such as `sandbox.created`. */
  readonly type: EventType;
  /** RFC 3339, UTC. */
  readonly at: string;
  /** Whose sandbox it concerns. */
  readonly owner: string;
  /** Id of a token, `operator` (command line and library), `sweeper`, `reaper`, `shutdown` or `proxy`. */
  readonly author: string;
  /** Why that acted by itself. `null`: it was asked to. */
  readonly reason: string | null;
  /** Ids, and what changed. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface KeptEvents {
  /** 0: none is kept. */
  readonly oldest: number;
  /** 0: there was none. */
  readonly newest: number;
}

/** Changes of state of sandboxes, execs, processes and approvals, by all processes of the state directory. */
export interface EventsApi {
  /**
   * Those after `after`, oldest first; with `follow`, also those to come, until the signal fires. Throws `not_found` when
   * events after `after` are not kept any more.
   */
  follow(how?: EventInput, options?: { readonly signal?: AbortSignal }): AsyncIterable<EventView>;
  /** Which are kept, of the owner or of all. Throws as `follow` does. */
  kept(after?: number, owner?: string): Promise<KeptEvents>;
}
