/** How much there is of what a store keeps. Part of the contract of the store. */

export interface StoreFigures {
  /** Those that there are now, by backend and state. */
  readonly sandboxes: readonly { readonly backend: string; readonly state: string; readonly count: number }[];
  /** Detached processes that have not been seen to end. */
  readonly processes: number;
  /** Tokens that hold. */
  readonly tokens: number;
  /** Questions that wait for an answer. */
  readonly questions: number;
  /** Events for webhooks, by endpoint: those that wait, and those that were given up in the last week. */
  readonly webhooks: readonly { readonly endpoint: string; readonly waiting: number; readonly givenUp: number }[];
  /** Bytes of the database file. */
  readonly bytes: number;
  /** What was written and is not in the database file yet. It is bounded unless a reader never ends. */
  readonly logBytes: number;
  /** Rows that this process has written. */
  readonly writes: number;
}
