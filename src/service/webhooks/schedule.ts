/** When a failed delivery is tried again. Pure. */

const [second, minute, hour] = [1000, 60_000, 3_600_000];

/** After the first failure, the second, and so on: a day and a half together. */
const pausesMs = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  20 * hour,
] as const;

/** How long an endpoint that fails is left alone, whatever else waits for it. */
const longestRestMs = 5 * minute;

/**
 * `failures`: how many attempts have failed. `chance` from 0 to 1 spreads attempts by a tenth, so that what failed together
 * does not come back together. `null`: it is given up.
 */
export function pauseMs(failures: number, chance: number): number | null {
  const pause = pausesMs[failures - 1];
  return pause === undefined ? null : Math.round(pause * (1 + chance / 10));
}

/** `failures`: those of the endpoint since its last success. */
export const restMs = (failures: number): number => Math.min(5 * second * 2 ** (failures - 1), longestRestMs);
