/** How soon an egress proxy that has ended is started again. Pure. */

const windowMs = 60_000;
/** In one window, at once. */
const atOnce = 3;
const maxPauseMs = 30_000;

/** Keeps the earlier starts that still count. */
export const recentStarts = (startedAt: readonly number[], now: number): readonly number[] =>
  startedAt.filter((at) => now - at < windowMs);

/** A proxy that cannot live is started ever more seldom. */
export function pauseBeforeStart(recent: readonly number[]): number {
  const beyond = recent.length - atOnce;
  return beyond < 0 ? 0 : Math.min(maxPauseMs, 1000 * 2 ** beyond);
}
