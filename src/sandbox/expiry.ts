/** Which sandboxes have outlived their use. Pure: rows and a clock in, a verdict out. */
import { type Clock, sinceMs, steppedMs } from '../lib/clock.ts';
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

/** Moment of expiry by the clock as it is set now; the row's moments are by the clock as it was set then. `null`: never. */
export function expiresAt(row: SandboxRow, clock: Clock): number | null {
  const { idleMs, ttlMs, usedAt, createdAt } = row;
  const used = usedAt + steppedMs({ wallMs: usedAt, boot: row.usedBoot }, clock);
  const created = createdAt + steppedMs({ wallMs: createdAt, boot: row.createdBoot }, clock);
  const idle = idleMs === null || row.state === 'stopped' ? Infinity : used + idleMs;
  const end = Math.min(idle, ttlMs === null ? Infinity : created + ttlMs);
  return Number.isFinite(end) ? end : null;
}

/** One of the things that end a sandbox. */
export interface End {
  /** `process`: an ephemeral sandbox goes with the process that made it. */
  readonly by: 'idle' | 'lifetime' | 'process';
  /** What happens then: what is stopped keeps its files. */
  readonly does: 'stop' | 'remove';
  /** RFC 3339, UTC, if it is not used until then. `null`: it is not known. */
  readonly at: string | null;
}

/** The earliest first. `stops`: whether the sweep stops it as idle; a sandbox without isolation costs nothing and is left. */
export function endsOf(row: SandboxRow, clock: Clock, { stops }: { readonly stops: boolean }): readonly End[] {
  const { ephemeral, idleMs, ttlMs, createdAt, createdBoot, usedAt, usedBoot } = row;
  const after = (ms: number, sinceStartMs: number): string => timeText(clock.wallMs() + ms - sinceStartMs);
  const idles = idleMs !== null && row.state !== 'stopped' && (stops || ephemeral);
  const idleSince = startsIdle(row, clock) ? 0 : sinceMs({ wallMs: usedAt, boot: usedBoot }, clock);
  const ends: readonly End[] = [
    ...(idles ? [{ by: 'idle', does: ephemeral ? 'remove' : 'stop', at: after(idleMs, idleSince) } as const] : []),
    ...(ttlMs === null
      ? []
      : [
          {
            by: 'lifetime',
            does: 'remove',
            at: after(ttlMs, sinceMs({ wallMs: createdAt, boot: createdBoot }, clock)),
          } as const,
        ]),
  ];
  const timed = ends.toSorted((one, other) => ((one.at ?? '') < (other.at ?? '') ? -1 : 1));
  return ephemeral ? [...timed, { by: 'process', does: 'remove', at: null }] : timed;
}

/** Times beyond what a date can hold are as good as the last one. */
const timeText = (ms: number): string => new Date(Math.min(ms, 8.64e15)).toISOString();

/** How often a running exec must tell that its sandbox is in use, so that no process takes it for idle. */
export function touchIntervalMs(idleMs: number | null): number {
  return Math.max(1000, Math.min(30_000, (idleMs ?? Infinity) / 3));
}
