/** The header Server-Timing (w3.org/TR/server-timing) of an answer. */
import type { ServerTimed } from '../types.ts';

const metric = /(?:^|,)\s*([\w-]{1,64});dur=(\d{1,9}(?:\.\d{1,3})?)/g;

/** Calls the listener with each step that the service names. */
export function readTimes(header: string | undefined, onTimed: ServerTimed): void {
  for (const [, step = '', ms] of (header ?? '').matchAll(metric)) onTimed(step, Number(ms));
}
