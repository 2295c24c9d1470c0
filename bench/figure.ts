/** What a bench tells, and how figures are made of samples. */

/** The keys of one line of `--json`. */
export interface Figure {
  readonly figure: string;
  readonly unit: string;
  readonly ours: number;
  /** The peer in the same run. `null`: it is absent to compare with. */
  readonly baseline: number | null;
  /** Median of the ratios of each round, ours by the peer's; of the two figures where there is one round. */
  readonly ratio: number | null;
  /** Bound to keep: `ratio <= 1.05`, or `ours < 150` without a peer. `null`: reported only. */
  readonly target: string | null;
  readonly ok: boolean | null;
  /** Rounds, not counting warm-up. */
  readonly n: number;
}

export interface Samples {
  readonly ours: readonly number[];
  readonly baseline: readonly number[];
}

export type Target = { readonly of: 'ratio' | 'ours'; readonly is: '<=' | '>=' | '<'; readonly value: number };

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Quantile with linear interpolation between neighbours. `NaN` for an empty list. */
export function quantile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * at;
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  if (low === undefined || high === undefined) return Number.NaN;
  return low + (high - low) * (place - Math.floor(place));
}

export function pairedRatios({ ours, baseline }: Samples): readonly number[] {
  return ours.flatMap((value, round) => {
    const peer = baseline[round];
    return peer === undefined ? [] : [value / peer];
  });
}

/** A figure of samples in pairs; the second, `NAME p95`, is reported only. */
export function figuresOf(
  name: string,
  samples: Samples,
  how: { readonly unit: string; readonly target: Target | null },
): readonly Figure[] {
  const { unit, target } = how;
  const n = samples.ours.length;
  const middle = {
    ours: median(samples.ours),
    baseline: median(samples.baseline),
    ratio: median(pairedRatios(samples)),
  };
  const worst = { ours: quantile(samples.ours, 0.95), baseline: quantile(samples.baseline, 0.95) };
  return [
    judge({ figure: name, unit, ...middle, n }, target),
    judge({ figure: `${name} p95`, unit, ...worst, ratio: worst.ours / worst.baseline, n }, null),
  ];
}

export function judge(reported: Omit<Figure, 'target' | 'ok'>, target: Target | null): Figure {
  if (target === null) return { ...reported, target: null, ok: null };
  const value = target.of === 'ratio' ? reported.ratio : reported.ours;
  return {
    ...reported,
    target: `${target.of} ${target.is} ${target.value}`,
    ok: value === null ? null : holds(value, target),
  };
}

function holds(value: number, { is, value: bound }: Target): boolean {
  if (is === '<') return value < bound;
  return is === '<=' ? value <= bound : value >= bound;
}
