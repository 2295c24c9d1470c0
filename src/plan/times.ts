/** How long a sandbox lives: what may be asked for at its creation and later. Pure. */
import { CaissonError } from '../errors.ts';

/** `null`: never. */
export interface Times {
  readonly idleMs: number | null;
  readonly ttlMs: number | null;
}

export interface AskedTimes {
  /** Without use: a sandbox is stopped then, an ephemeral one removed. `null`: never. Absent: `terminal.lifetime_seconds`. */
  readonly idleTimeoutMs?: number | null;
  /** Since its creation: it is removed then in any case. `null`: never. Absent: `terminal.max_lifetime_seconds`. */
  readonly lifetimeMs?: number | null;
}

const maxMs = 10 * 366 * 86_400_000;

/** Those that are asked for, under the names of the store. Throws `invalid_argument`. */
export function askedTimes({ idleTimeoutMs, lifetimeMs }: AskedTimes): Partial<Times> {
  return {
    ...(idleTimeoutMs === undefined ? {} : { idleMs: checkTime('idleTimeoutMs', idleTimeoutMs) }),
    ...(lifetimeMs === undefined ? {} : { ttlMs: checkTime('lifetimeMs', lifetimeMs) }),
  };
}

function checkTime(name: string, value: number | null): number | null {
  if (value === null || (Number.isSafeInteger(value) && value >= 1 && value <= maxMs)) return value;
  throw new CaissonError('invalid_argument', `${name} is a whole number of milliseconds up to ten years, or null`);
}

/** What the configuration says is the most that another owner than the operator has. Throws `permission_denied`. */
export function checkWithin(asked: Partial<Times>, configured: Times): void {
  refuseBeyond('idleTimeoutMs', asked.idleMs, configured.idleMs);
  refuseBeyond('lifetimeMs', asked.ttlMs, configured.ttlMs);
}

function refuseBeyond(name: string, asked: number | null | undefined, cap: number | null): void {
  if (asked === undefined || cap === null || (asked !== null && asked <= cap)) return;
  throw new CaissonError('permission_denied', `${name} is ${cap} at most`, { details: { limit: name, cap } });
}
