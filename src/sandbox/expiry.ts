/** Which sandboxes have outlived their use. Pure: rows and a clock in, a verdict out. */
import { type Clock, sinceMs } from '../lib/clock.ts';
import type { SandboxRow } from '../store/store.ts';

export type Expiry = 'idle' | 'ttl' | null;

/**
 * Idle time is not counted over a boot: a sandbox that was last used before it is idle from the next sweep on (see
 * `startsIdle`). The time to live is: from before a boot on it is measured by the time of day.
 */
export function expiryOf(row: SandboxRow, clock: Clock): Expiry {
  if (row.ttlMs !== null && sinceMs({ wallMs: row.createdAt, boot: row.createdBoot }, clock) >= row.ttlMs) return 'ttl';
  if (row.state === 'stopped' || row.idleMs === null || startsIdle(row, clock)) return null;
  return sinceMs({ wallMs: row.usedAt, boot: row.usedBoot }, clock) >= row.idleMs ? 'idle' : null;
}

/** The machine was booted since its last use, so that its idle time starts now. */
export function startsIdle({ usedBoot }: SandboxRow, { bootId }: Clock): boolean {
  return usedBoot !== null && bootId !== null && usedBoot.id !== bootId;
}

export function expiresAt(row: SandboxRow): number | null {
  const idle = row.idleMs === null || row.state === 'stopped' ? Infinity : row.usedAt + row.idleMs;
  const end = Math.min(idle, row.ttlMs === null ? Infinity : row.createdAt + row.ttlMs);
  return Number.isFinite(end) ? end : null;
}

/** How often a running exec must tell that its sandbox is in use, so that no process takes it for idle. */
export function touchIntervalMs(idleMs: number | null): number {
  return Math.max(1000, Math.min(30_000, (idleMs ?? Infinity) / 3));
}
