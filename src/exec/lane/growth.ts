/** When a sandbox wants another lane. Pure. */
import { availableParallelism } from 'node:os';
import type { Lane } from './lane.ts';

const shortLanes = Math.max(2, Math.ceil(1.5 * availableParallelism()));
const maxLanes = 16;
const longBusyMs = 20;
/** How long a command waits before another lane is thought of. */
export const timeoutMs = 5;

/** `waitedMs`: of the command that has waited longest. */
export function wantsMore(lanes: ReadonlySet<Lane>, waitedMs: number): boolean {
  if (lanes.size === 0) return true;
  if (waitedMs < timeoutMs || lanes.size >= maxLanes) return false;
  if (lanes.size < shortLanes) return true;
  const now = performance.now();
  return [...lanes].every((lane) => now - lane.startedAt > longBusyMs);
}
