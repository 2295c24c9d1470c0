/** One moment of a sandbox: what it used then, and what happened around it. Pure. */
import type { Mark } from '../../plot/shape.ts';
import type { Figure, Samples } from '../../plot/points.ts';

export interface Moment {
  readonly atMs: number;
  /** `null`: no sample is so near. */
  readonly figures: Readonly<Record<Figure, number | null>> | null;
  readonly marks: readonly Mark[];
}

const sampleMs = 60_000;
const aroundMs = 30_000;

/** The moment of a filter of the address. `null`: it has none, or no time. */
export function momentIn(at: string | undefined): number | null {
  const atMs = Date.parse(at ?? '');
  return Number.isNaN(atMs) ? null : atMs;
}

interface Known {
  readonly samples: Samples;
  readonly marks: readonly Mark[];
}

/** The nearest sample of the last hour, or the means of the minute. */
export function momentOf(atMs: number, { samples, marks }: Known): Moment {
  const apart = (time: number): number => Math.abs(time - atMs);
  const [nearest] = samples.recent
    .filter(({ at }) => apart(Date.parse(at)) <= sampleMs)
    .toSorted((one, other) => apart(Date.parse(one.at)) - apart(Date.parse(other.at)));
  const minute = samples.minutes.find(({ at }) => Date.parse(at) === Math.floor(atMs / sampleMs) * sampleMs);
  return {
    atMs,
    figures: nearest ?? minute?.mean ?? null,
    marks: marks.filter((mark) => apart(mark.atMs) <= aroundMs),
  };
}
