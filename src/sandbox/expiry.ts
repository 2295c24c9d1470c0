/** Which sandboxes have outlived their use. Pure: rows and a clock reading in, a verdict out. */
import type { SandboxRow } from '../store/store.ts';

export type Expiry = 'idle' | 'ttl' | null;

export function expiryOf(row: SandboxRow, nowMs: number): Expiry {
  if (row.ttlMs !== null && nowMs - row.createdAt >= row.ttlMs) return 'ttl';
  if (row.state !== 'stopped' && row.idleMs !== null && nowMs - row.usedAt >= row.idleMs) return 'idle';
  return null;
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
