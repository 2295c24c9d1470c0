import { settledOrLate } from './settled.ts';
import type { Tap } from './tap.ts';

/** A stream that was quiet for this long after the command ended has nothing more on its way. */
const quietMs = 250;
/** Nobody waits longer for the streams of a command that has ended, whoever still writes to them. */
const totalMs = 1000;

/**
 * Waits until the streams of a command that has ended (see `Tap.drain`) have ended too, or have gone quiet. Where nobody
 * is left to hold them (`allGone`), their end is on its way, and being quiet means nothing.
 */
export async function drain(taps: readonly Tap[], how: { readonly allGone: boolean }): Promise<void> {
  const from = performance.now();
  const allEnded = Promise.all(taps.map((tap) => tap.done));
  for (;;) {
    const open = taps.filter((tap) => !tap.ended);
    if (open.length === 0) return;
    const quietAt = how.allGone ? Infinity : Math.max(from, ...open.map((tap) => tap.lastAt)) + quietMs;
    const waitMs = Math.min(quietAt, from + totalMs) - performance.now();
    if (waitMs <= 0) return;
    await settledOrLate(allEnded, Math.ceil(waitMs));
  }
}
