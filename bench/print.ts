import type { Figure } from './figure.ts';

export function jsonLine(bench: string, figure: Figure): string {
  const { figure: name, unit, ours, baseline, ratio, target, ok, n } = figure;
  return JSON.stringify({
    bench,
    figure: name,
    unit,
    ours: round(ours),
    baseline: round(baseline),
    ratio: round(ratio),
    target,
    ok,
    n,
  });
}

/** One figure as a line of a table with fixed columns, so that it can be printed as soon as it is there. */
export function tableLine(bench: string, figure: Figure): string {
  const { unit, ours, baseline, ratio, target, ok, n } = figure;
  const words = [
    bench.padEnd(8),
    figure.figure.padEnd(18),
    show(ours),
    show(baseline),
    unit.padEnd(10),
    show(ratio),
    `n=${n}`.padEnd(7),
  ];
  const verdict = ok === null ? '' : `${ok ? 'ok  ' : 'MISS'}  ${target}`;
  return `${words.join(' ')} ${verdict}`.trimEnd();
}

export const tableHead = [
  'bench'.padEnd(8),
  'figure'.padEnd(18),
  'ours'.padStart(10),
  'baseline'.padStart(10),
  'unit'.padEnd(10),
  'ratio'.padStart(10),
  'rounds'.padEnd(7),
  'target',
].join(' ');

function show(value: number | null): string {
  return (value === null ? '-' : String(round(value))).padStart(10);
}

/** Three digits carry all that a noisy machine can tell. */
function round(value: number | null): number | null {
  if (value === null || !Number.isFinite(value)) return null;
  return Number(value.toPrecision(Math.abs(value) >= 1000 ? 4 : 3));
}
