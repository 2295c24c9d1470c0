/**
 * Whether somebody turns in circles. Three detectors, over the calls of one task since it last got somewhere. Pure.
 *
 *   exact_failure           the same call, and it failed each time
 *   same_tool_failure       calls of the same tool, each failed, whatever the arguments
 *   idempotent_no_progress  the same call that only reads, with the same result each time
 */

export type Detector = 'exact_failure' | 'same_tool_failure' | 'idempotent_no_progress';
export type Counts = Readonly<Record<Detector, number>>;

/** A call that has ended. */
export interface Outcome {
  readonly tool: string;
  /** Equal for calls of one tool with equal arguments. */
  readonly signature: string;
  readonly failed: boolean;
  /** It surely changes nothing. */
  readonly reads: boolean;
  /** Equal for equal exits with equal outputs. */
  readonly result: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export type History = readonly Outcome[];

const maxOutcomes = 64;

/** A call that worked and may have changed something is progress: what was before it does not count any more. */
export function after(history: History, outcome: Outcome, windowMs: number): History {
  if (!outcome.failed && !outcome.reads) return [];
  return [...history.filter(({ at }) => outcome.at - at < windowMs), outcome].slice(-maxOutcomes);
}

/** How often each has happened already, for a call that is about to be made, or was just made. */
export function counts(history: History, { tool, signature }: Pick<Outcome, 'tool' | 'signature'>): Counts {
  const same = history.filter((each) => each.signature === signature);
  const last = same.at(-1);
  const other = same.findLastIndex((each) => each.failed || !each.reads || each.result !== last?.result);
  return {
    exact_failure: same.filter(({ failed }) => failed).length,
    same_tool_failure: history.filter((each) => each.failed && each.tool === tool).length,
    idempotent_no_progress: same.length - 1 - other,
  };
}

/** The first detector whose count has come to its limit. */
export function reached(found: Counts, limits: Counts): Detector | null {
  const detectors: readonly Detector[] = ['exact_failure', 'same_tool_failure', 'idempotent_no_progress'];
  return detectors.find((detector) => found[detector] >= limits[detector]) ?? null;
}

export function sentence(detector: Detector, count: number): string {
  if (detector === 'exact_failure') return `the same call has failed ${count} times: change it, or find out why`;
  if (detector === 'same_tool_failure') return `${count} calls have failed, one after the other: take another way`;
  return `the same call has given the same result ${count} times: nothing has changed meanwhile`;
}
