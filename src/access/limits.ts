/** How often may be asked, and how often a code may be wrong. Pure. */
import type { Asker } from './authorize.ts';

const minuteMs = 60_000;
/** Between two requests of one user. */
export const pauseMs = 10 * minuteMs;
export const maxFailures = 5;
export const lockoutMs = 60 * minuteMs;

export interface PairingAttempts {
  /** Who was given a code, and when. */
  readonly asked: readonly { readonly platform: string; readonly ids: readonly string[]; readonly at: number }[];
  readonly attempts: readonly Attempts[];
}

interface Attempts {
  readonly platform: string;
  /** Wrong codes since the last right one, or since the last lockout. */
  readonly failed: number;
  readonly lockedUntil: number;
}

export const noLimits: PairingAttempts = { asked: [], attempts: [] };

/** `null`: it is not locked. */
export function lockedUntil({ attempts }: PairingAttempts, platform: string, nowMs: number): number | null {
  const until = of(attempts, platform).lockedUntil;
  return nowMs < until ? until : null;
}

/** Whether any of the ids has asked lately: a sender stays the same under another of its ids. */
export function askedLately({ asked }: PairingAttempts, { platform, ids }: Asker, nowMs: number): boolean {
  return asked.some(
    (each) => each.platform === platform && each.ids.some((id) => ids.includes(id)) && isLate(each.at, nowMs),
  );
}

export function withAsked(limits: PairingAttempts, who: Asker, nowMs: number): PairingAttempts {
  const kept = limits.asked.filter(({ at }) => isLate(at, nowMs));
  return { ...limits, asked: [...kept, { platform: who.platform, ids: who.ids, at: nowMs }] };
}

export function withFailure(limits: PairingAttempts, platform: string, nowMs: number): PairingAttempts {
  const failed = of(limits.attempts, platform).failed + 1;
  const locks = failed >= maxFailures;
  return withAttempts(limits, { platform, failed: locks ? 0 : failed, lockedUntil: locks ? nowMs + lockoutMs : 0 });
}

export function withSuccess(limits: PairingAttempts, platform: string): PairingAttempts {
  return withAttempts(limits, { platform, failed: 0, lockedUntil: 0 });
}

export function attemptsLeft({ attempts }: PairingAttempts, platform: string): number {
  return maxFailures - of(attempts, platform).failed;
}

function withAttempts(limits: PairingAttempts, changed: Attempts): PairingAttempts {
  return { ...limits, attempts: [...limits.attempts.filter(({ platform }) => platform !== changed.platform), changed] };
}

function of(attempts: PairingAttempts['attempts'], platform: string): Attempts {
  return attempts.find((each) => each.platform === platform) ?? { platform, failed: 0, lockedUntil: 0 };
}

/** A time ahead of the clock, which was set back then, counts as well. */
const isLate = (at: number, nowMs: number): boolean => Math.abs(nowMs - at) < pauseMs;
