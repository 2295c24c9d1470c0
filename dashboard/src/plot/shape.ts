/** A line of measured values as the path of an SVG element, and what stands below it. Pure. */

export interface Point {
  readonly atMs: number;
  /** `null`: not known. */
  readonly value: number | null;
}

export interface Frame {
  readonly fromMs: number;
  readonly toMs: number;
  /** The value at the upper edge. */
  readonly max: number;
  readonly width: number;
  readonly height: number;
}

/** Something that happened, as a link on the axis. */
export interface Mark {
  readonly atMs: number;
  readonly kind: 'exec' | 'state' | 'question' | 'denial' | 'kill';
  readonly text: string;
  /** Address of what was there to see. */
  readonly href: string;
}

/** A longer silence is a gap of the line. */
const gapMs = 150_000;

export const xOf = (atMs: number, { fromMs, toMs, width }: Frame): number =>
  Math.round(((atMs - fromMs) / (toMs - fromMs)) * width * 10) / 10;

const yOf = (value: number, { max, height }: Frame): number =>
  Math.round((1 - Math.min(1, value / max)) * height * 10) / 10;

/** What is not known, and a silence, interrupt the line. */
export function pathOf(points: readonly Point[], frame: Frame): string {
  let beforeMs = -Infinity;
  const parts: string[] = [];
  for (const { atMs, value } of points) {
    if (value === null || atMs < frame.fromMs || atMs > frame.toMs) continue;
    parts.push(`${atMs - beforeMs > gapMs ? 'M' : 'L'}${xOf(atMs, frame)} ${yOf(value, frame)}`);
    beforeMs = atMs;
  }
  return parts.join('');
}

/** The upper edge: a round number above all values, and never 0. */
export function upperEdge(points: readonly Point[], least: number): number {
  const highest = points.reduce((most, { value }) => Math.max(most, value ?? 0), least);
  const step = 10 ** Math.floor(Math.log10(highest));
  return [1, 2, 5, 10].map((times) => times * step).find((edge) => edge >= highest) ?? highest;
}

/** The last value that is known, for people who hear the plot. */
export const latest = (points: readonly Point[]): number | null =>
  points.findLast(({ value }) => value !== null)?.value ?? null;
