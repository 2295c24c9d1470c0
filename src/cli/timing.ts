/** `CAISSON_TIMING=1`: says at the end of a command how long its steps took. */
import type { Env } from './world.ts';

export interface StepTimes {
  readonly onTimed: (step: string, ms: number) => void;
  /** `NAME MILLISECONDS, ...`; `command` is the time since this process began. */
  readonly line: () => string;
}

/** `null`: it is not wanted. */
export function stepTimes(env: Env): StepTimes | null {
  if (env['CAISSON_TIMING'] !== '1') return null;
  const steps = new Map<string, number>();
  return {
    onTimed: (step, ms) => void steps.set(step, (steps.get(step) ?? 0) + ms),
    line: () =>
      [...steps, ['command', performance.now()] as const].map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`).join(', '),
  };
}
