/** Changes of state, as they are kept for those who follow them. Part of the contract of the store. */

export type EventType =
  | 'sandbox.state'
  | 'exec.started'
  | 'exec.ended'
  | 'process.started'
  | 'process.ended'
  | 'approval.asked'
  | 'approval.answered'
  | 'network.denied';

export interface EventRow {
  /** Grows over all owners, in the order of the transactions. */
  readonly seq: number;
  readonly type: EventType;
  /** Owner of the task. */
  readonly owner: string;
  /** Milliseconds since the epoch, by the clock of the writer. */
  readonly happenedAt: number;
  /** See `lib/author.ts`. */
  readonly author: string;
  readonly reason: string | null;
  /** Ids, and what changed. What a webhook carries. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventQuery {
  readonly after: number;
  /** `null`: of all owners. */
  readonly owner: string | null;
  /** Only those of this task id or sandbox id. */
  readonly task?: string | undefined;
  readonly type?: EventType | undefined;
  readonly max: number;
}

export interface EventRange {
  /** `seq` of the oldest event that is kept, over all owners. 0: no event is kept. */
  readonly oldest: number;
  /** `seq` of the last event ever written. 0: no event was written. */
  readonly newest: number;
  /** The newest event that is not kept any more, of the owner that is asked for. 0: all of its events are kept. */
  readonly gone: number;
}

export interface Events {
  /** Oldest first. */
  read(query: EventQuery): Promise<readonly EventRow[]>;
  /** `null`: of all owners. Where too many are kept, those of the owners with the most go first. */
  kept(owner: string | null): Promise<EventRange>;
  /** Records a denied connection of the task's sandbox, which happened outside of the store. */
  denied(taskId: string, data: EventRow['data']): Promise<void>;
}
