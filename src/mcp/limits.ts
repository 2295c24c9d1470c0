/** Times and sizes of the front end. Parameters, so that a test can have a host with a faster clock. */
export interface Limits {
  /** After which a call is answered, done or not: hosts stop waiting after 60 seconds by default. */
  readonly answerMs: number;
  /** Between two notifications of progress. */
  readonly progressMs: number;
  /** Between two looks whether a question has its answer. */
  readonly lookMs: number;
  /** For which the form of a question, and what is remembered of a call, hold. */
  readonly rememberMs: number;
  /** Milliseconds that a session of the old protocol lives without a request. */
  readonly idleMs: number;
  readonly maxSessions: number;
}

export const defaultLimits: Limits = {
  answerMs: 45_000,
  progressMs: 3_000,
  lookMs: 500,
  rememberMs: 60 * 60_000,
  idleMs: 30 * 60_000,
  maxSessions: 8,
};
