import { type Frame, latest, type Mark, pathOf, type Point, upperEdge, xOf } from './shape.ts';

export interface Line {
  readonly label: string;
  readonly points: readonly Point[];
}

interface Input {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly fromMs: number;
  readonly toMs: number;
  /** The upper edge is never below it. */
  readonly least: number;
  readonly text: (value: number) => string;
  /** A moment that is looked at. */
  readonly momentMs: number | null;
}

const width = 600;
const height = 80;

export function Plot({ title, lines, fromMs, toMs, least, text, momentMs }: Input) {
  const all = lines.flatMap(({ points }) => points.filter(({ atMs }) => atMs >= fromMs));
  const max = upperEdge(all, least);
  const frame: Frame = { fromMs, toMs, max, width, height };
  const now = lines.flatMap(({ label, points }) => {
    const last = latest(points);
    return last === null ? [] : [`${label} ${text(last)}`];
  });
  return (
    <figure class="plot">
      <figcaption>
        {title}: {now.length === 0 ? 'no figures yet' : now.join(', ')} <span class="dim">to {text(max)}</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={title}>
        {lines.map(({ label, points }, at) => (
          <path key={label} class={`line${at}`} d={pathOf(points, frame)} />
        ))}
        {momentMs === null ? null : <path class="now" d={`M${xOf(momentMs, frame)} 0V${height}`} />}
      </svg>
    </figure>
  );
}

interface AxisInput {
  readonly marks: readonly Mark[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** The axis below the plots: links in the order of time, so that they are reached by keyboard. */
export function Axis({ marks, fromMs, toMs }: AxisInput) {
  const frame: Frame = { fromMs, toMs, max: 1, width, height: 24 };
  return (
    <svg class="axis" viewBox={`0 0 ${width} 24`} preserveAspectRatio="none" role="group" aria-label="What happened">
      {marks.map(({ atMs, kind, text, href }, at) => {
        const x = xOf(atMs, frame);
        return (
          <a key={at} href={href} aria-label={text}>
            <title>{text}</title>
            <path class={kind} d={`M${x} 2L${x} 22`} />
          </a>
        );
      })}
    </svg>
  );
}
