/** Answers to the question whether something may happen. */

/**
 * `once`: this command, this time. `session`: what the question says under `covers`, for this task until its sandbox is
 * removed or `approvals.session_seconds` end. `always`: the rules that the question proposed, from now on. `deny`: no.
 */
export type Choice = 'once' | 'session' | 'always' | 'deny';
