import { setTimeout as sleep } from 'node:timers/promises';
import { untilAborted } from '../shared/abort.ts';

/** Rejects as soon as the signal fires. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await untilAborted(sleep(ms), signal);
}
