/**
 * Columns of plain text. Cells are escaped here, so that no table can pass on what a sandbox wrote. On a terminal, columns go until
 * the rest fits; what is piped on has all of them.
 */
import { escapeLine } from './escape.ts';
import type { Paint } from './paint.ts';

const widestCell = 72;
/** The last column may run on: nothing stands behind it. */
const widestLastCell = 400;
/** It keeps so much before other columns go. */
const wantedLastCell = 24;
const narrowestLastCell = 8;
const narrowestCell = 8;
const gap = 2;

export interface Column {
  readonly title: string;
  /** Columns with a higher number go first where the terminal is too narrow. Absent: it stays. */
  readonly drop?: number;
  /** Absent: no colour. */
  readonly colour?: (text: string) => keyof Paint | null;
}

export type Head = readonly (string | Column)[];

export interface TableLook {
  readonly paint: Paint;
  /** Columns of the terminal. `null`: it is not one. */
  readonly width: number | null;
}

export function table(head: Head, rows: readonly (readonly string[])[], { paint, width }: TableLook): string {
  const columns = head.map((each): Column => (typeof each === 'string' ? { title: each } : each));
  const all = [columns.map(({ title }) => title), ...rows].map((row) => row.map(escapeLine));
  const widths = columns.map((_, at) => Math.max(...all.map((row) => lengthOf(row[at] ?? ''))));
  const shown = shownColumns(columns, widths, width);
  const [first = '', ...rest] = all.map((row, index) =>
    shown
      .map(({ at, widest, isLast }) => {
        const text = cut(row[at] ?? '', widest);
        const space = ' '.repeat(isLast ? 0 : Math.max(0, Math.min(widest, widths[at] ?? 0) - lengthOf(text)));
        const colour = index === 0 ? null : (columns[at]?.colour?.(text) ?? null);
        return `${colour === null ? text : paint[colour](text)}${space}`;
      })
      .join(' '.repeat(gap))
      .trimEnd(),
  );
  return [paint.bold(first), ...rest].map((text) => `${text}\n`).join('');
}

interface ShownColumn {
  readonly at: number;
  readonly widest: number;
  readonly isLast: boolean;
}

function shownColumns(
  columns: readonly Column[],
  widths: readonly number[],
  width: number | null,
): readonly ShownColumn[] {
  const last = columns.length - 1;
  const most = widths.map((each, at) => Math.min(each, at === last ? widestLastCell : widestCell));
  const shown = (kept: readonly number[], each: readonly number[]): readonly ShownColumn[] =>
    kept.map((at) => ({ at, widest: each[at] ?? 0, isLast: at === last }));
  if (width === null) return shown([...columns.keys()], most);
  const wanted = most.map((each, at) => (at === last ? Math.min(each, wantedLastCell) : each));
  const kept = fitting(columns, wanted, width);
  return shown(kept, squeezed(kept, most, width));
}

/**
 * The last column has what is left; where that is too little, the widest of the others gives some of its own. The first one stays
 * whole: it names the row, and is what the next command is given.
 */
function squeezed(kept: readonly number[], most: readonly number[], width: number): readonly number[] {
  const widths = [...most];
  const last = kept.at(-1) ?? 0;
  const least = Math.min(narrowestLastCell, most[last] ?? 0);
  for (let excess = widthOf(kept, widths) - width; excess > 0; excess = widthOf(kept, widths) - width) {
    const isLastWide = (widths[last] ?? 0) > least;
    const at = isLastWide ? last : kept.slice(1).toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0];
    const own = widths[at ?? last] ?? 0;
    const to = Math.max(isLastWide ? least : narrowestCell, own - excess);
    if (to >= own) break;
    widths[at ?? last] = to;
  }
  return widths;
}

function fitting(columns: readonly Column[], widths: readonly number[], width: number): readonly number[] {
  let kept = columns.map((_, at) => at);
  const order = columns
    .map(({ drop }, at) => ({ at, drop: drop ?? null }))
    .filter((each): each is { at: number; drop: number } => each.drop !== null)
    .toSorted((a, b) => b.drop - a.drop);
  for (const { at } of order) {
    if (widthOf(kept, widths) <= width) break;
    kept = kept.filter((each) => each !== at);
  }
  return kept;
}

const widthOf = (kept: readonly number[], widths: readonly number[]): number =>
  kept.reduce((sum, at) => sum + (widths[at] ?? 0), gap * (kept.length - 1));

function cut(shown: string, widest: number): string {
  const characters = [...shown];
  return characters.length <= widest ? shown : `${characters.slice(0, widest - 1).join('')}…`;
}

function lengthOf(text: string): number {
  return [...text].length;
}
