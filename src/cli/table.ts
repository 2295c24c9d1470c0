/** Columns of plain text. Cells are escaped here, so that no table can pass on what a sandbox wrote. */
import { escapeLine } from './escape.ts';
import type { Paint } from './paint.ts';

const widestCell = 72;
/** The last column may run on: nothing stands behind it. */
const widestLastCell = 400;

export function table(head: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string {
  const cells = [head, ...rows].map((row) =>
    row.map((text, column) => cell(text, column === head.length - 1 ? widestLastCell : widestCell)),
  );
  const widths = head.map((_, column) => Math.max(...cells.map((row) => lengthOf(row[column] ?? ''))));
  const [first = '', ...rest] = cells.map((row) => line(row, widths));
  return [paint.bold(first), ...rest].map((text) => `${text}\n`).join('');
}

function cell(text: string, widest: number): string {
  const shown = escapeLine(text);
  const characters = [...shown];
  return characters.length <= widest ? shown : `${characters.slice(0, widest - 1).join('')}…`;
}

function line(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((text, column) => text + ' '.repeat(Math.max(0, (widths[column] ?? 0) - lengthOf(text))))
    .join('  ')
    .trimEnd();
}

function lengthOf(text: string): number {
  return [...text].length;
}
