/** One look of a lane at the processes that hold its streams. */
import type { LaneProcess } from './lane-process.ts';

/**
 * A child that is just dying, or has forked and not yet given up its streams, is looked at again after these pauses. A
 * process that is still seen holding a stream after them is a background process.
 */
export const recheckPausesMs = [2, 10, 30, 40, 40, 40, 40, 40];
/** How long the reader of the exec waits for such a process is the reader's decision; the lane looks on at this pace. */
export const laterRecheckMs = 500;

export interface Look {
  readonly nonce: string;
  readonly answer: Promise<Looked | null>;
}

export interface Looked {
  readonly seen: readonly number[];
  readonly suspects: readonly number[];
  /** `null`: no process holds a stream. */
  readonly next: Look | null;
}

/** Suspects that still cannot be looked into are no evidence: by its marks, all that the command wrote is here. */
export function judge(process: LaneProcess, seen: readonly number[]): void {
  process.proved(seen.length > 0 ? { is: 'held', pids: seen } : { is: 'ended' });
  if (seen.length === 0) process.endStreams();
}
