/** Paths inside a sandbox. Pure. */
import { addressPart } from '../../../text/hostile.ts';

/** The directory above; that of the root is the root. */
export function parentOf(path: string): string {
  const parts = path.split('/').filter(Boolean);
  return `/${parts.slice(0, -1).join('/')}`;
}

export const joined = (directory: string, name: string): string => `${directory === '/' ? '' : directory}/${name}`;

/** The address of a file in the API. */
export const fileAddress = (task: string, path: string): string =>
  `/v1/sandboxes/${addressPart(task)}/files?path=${addressPart(path)}`;

/** The address of a directory, or a file, as a tar. */
export const archiveAddress = (task: string, path: string): string =>
  `/v1/sandboxes/${addressPart(task)}/files/archive?path=${addressPart(path)}`;

export const mostPreviewBytes = 256 * 1024;

/** `null`: it is not UTF-8, or has bytes that no text has. */
export function previewOf(bytes: Uint8Array, isWhole: boolean): string | null {
  // A character may be cut at the end of a part.
  const end = isWhole ? bytes.length : lastWhole(bytes);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end));
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

function lastWhole(bytes: Uint8Array): number {
  let at = bytes.length;
  while (at > 0 && bytes.length - at < 3 && ((bytes[at - 1] ?? 0) & 0xc0) === 0x80) at--;
  return at > 0 && ((bytes[at - 1] ?? 0) & 0x80) !== 0 ? at - 1 : bytes.length;
}

export type DiffLine = readonly [mark: ' ' | '+' | '-', text: string];

const mostLines = 4000;

/** Lines that two texts have in common stay, by the longest common run of the middle; `null`: they are too long to compare here. */
export function diffOf(before: string, after: string): readonly DiffLine[] | null {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const [mine, theirs] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  if (mine.length * theirs.length > mostLines * 1000) return null;
  const same = (lines: readonly string[]): readonly DiffLine[] => lines.map((line) => [' ', line] as const);
  return [...same(old.slice(0, start)), ...changed(mine, theirs), ...same(old.slice(old.length - end))];
}

function changed(mine: readonly string[], theirs: readonly string[]): readonly DiffLine[] {
  const width = theirs.length + 1;
  const lengths = new Uint32Array((mine.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = mine.length - 1; row >= 0; row--)
    for (let column = theirs.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        mine[row] === theirs[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < mine.length || column < theirs.length) {
    const [one, other] = [mine[row], theirs[column]];
    if (one !== undefined && one === other) {
      lines.push([' ', one]);
      row++;
      column++;
    } else if (one !== undefined && (other === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push(['-', one]);
      row++;
    } else {
      lines.push(['+', other ?? '']);
      column++;
    }
  }
  return lines;
}
