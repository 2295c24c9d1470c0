/** Makes a lane of the process of its shell. */
import type { Process } from '../../backend.ts';
import { abortError } from '../../errors.ts';
import type { LaneStart } from './hello.ts';
import { Lane, type LaneHooks } from './lane.ts';

/** Resolves when it has said hello. Throws what `open` throws, and the reason of `signal` when that fires first. */
export async function openLane(
  process: Process,
  start: LaneStart,
  { signal, ...surroundings }: LaneHooks & { readonly signal: AbortSignal },
): Promise<Lane> {
  const lane = new Lane(process, surroundings);
  const close = (): void => lane.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    if (!signal.aborted) await lane.open(start);
  } finally {
    signal.removeEventListener('abort', close);
  }
  if (!signal.aborted) return lane;
  lane.close();
  throw abortError(signal);
}
