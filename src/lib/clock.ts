/**
 * Time of day and time since boot. Time of day can be stepped, by NTP or by hand; time since boot cannot, and counts on
 * while the machine sleeps (clock_gettime(2), CLOCK_BOOTTIME). What must last is measured by the latter as long as the
 * machine has not been booted since.
 */
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

export interface Clock {
  /** Milliseconds since the epoch. */
  readonly wallMs: () => number;
  /** Milliseconds since boot. */
  readonly bootMs: () => number;
  /** Identity of this boot (random(4)); `null` where the kernel does not give one. */
  readonly bootId: string | null;
}

/** A moment by both clocks. */
export interface Moment {
  readonly wallMs: number;
  readonly boot: { readonly id: string; readonly ms: number } | null;
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  bootMs: () => Math.round(uptime() * 1000),
  get bootId() {
    return bootId();
  },
};

export function momentOf(clock: Clock): Moment {
  return { wallMs: clock.wallMs(), boot: clock.bootId === null ? null : { id: clock.bootId, ms: clock.bootMs() } };
}

/** Milliseconds from a moment until now. By the time of day only where the machine was booted since, or has no boot id. */
export function sinceMs({ wallMs, boot }: Moment, clock: Clock): number {
  if (boot !== null && boot.id === clock.bootId) return clock.bootMs() - boot.ms;
  return clock.wallMs() - wallMs;
}

/** A clock that NTP slows down or hurries was not stepped. */
const leastStepMs = 10_000;

/** Milliseconds by which the time of day was stepped since a moment of this boot. */
export function steppedMs(moment: Moment, clock: Clock): number {
  const stepMs = clock.wallMs() - moment.wallMs - sinceMs(moment, clock);
  return Math.abs(stepMs) < leastStepMs ? 0 : stepMs;
}

let known: string | null | undefined;

function bootId(): string | null {
  known ??= readBootId();
  return known;
}

function readBootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    // No Linux, or no /proc: the time of day alone decides.
    return null;
  }
}
