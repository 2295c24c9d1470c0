/** Subject and peer in turn (A B A B), so that what the machine does meanwhile hits both. */
import { median, type Samples } from './figure.ts';

/** Does the thing once and gives the figure of it: milliseconds, or a rate. */
export type Sample = (round: number) => Promise<number>;

export interface Rounds {
  readonly warmUp: number;
  readonly rounds: number;
}

export async function interleave(ours: Sample, baseline: Sample, { warmUp, rounds }: Rounds): Promise<Samples> {
  const samples = { ours: [] as number[], baseline: [] as number[] };
  for (let round = 0; round < warmUp + rounds; round++) {
    const pair = [await ours(round), await baseline(round)] as const;
    if (round < warmUp) continue;
    samples.ours.push(pair[0]);
    samples.baseline.push(pair[1]);
  }
  return samples;
}

/**
 * Several in a row, and their median. For what is much shorter than its peer: an engine goes on clearing away for some
 * milliseconds after it has reported the end of a command, which is more than a command through a lane takes at all.
 */
export function inRow(times: number, once: () => Promise<number>): () => Promise<number> {
  return async () => {
    const values: number[] = [];
    for (let at = 0; at < times; at++) values.push(await once());
    return median(values);
  };
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
