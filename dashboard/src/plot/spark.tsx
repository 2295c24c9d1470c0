import { latest, pathOf, type Point, upperEdge } from './shape.ts';

interface Input {
  readonly label: string;
  readonly points: readonly Point[];
  /** The upper edge is never below it. */
  readonly least: number;
  readonly text: (value: number) => string;
}

const width = 60;
const height = 18;
const spanMs = 360_000;

/** The last six minutes in a cell of a table. */
export function Spark({ label, points, least, text }: Input) {
  const last = latest(points);
  const toMs = points.at(-1)?.atMs;
  if (last === null || toMs === undefined) return null;
  const frame = { fromMs: toMs - spanMs, toMs, max: upperEdge(points, least), width, height };
  return (
    <span class="spark">
      <svg width={width} height={height} role="img" aria-label={label}>
        <path d={pathOf(points, frame)} />
      </svg>{' '}
      {text(last)}
    </span>
  );
}
