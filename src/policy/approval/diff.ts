/**
 * What a write would change, for the person who decides: the form of `diff -u`, bounded, without secrets, and without characters
 * that are not seen. What is left out is counted, since things are hidden in a part that is not shown.
 */
import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { type LineChange, lineChanges } from '../../lib/line-changes.ts';
import { shownLine } from './display.ts';

/** A file, or what it becomes. */
export interface Side {
  readonly size: number;
  readonly sha256: string;
  /** `null`: too much to be compared. */
  readonly bytes: Buffer | null;
}

const context = 3;
const maxLines = 240;
const maxBytes = 16_000;
const longestLine = 400;

/** `before`: `null` where the file does not exist yet. `redact`: takes secrets out of a whole text. */
export function shownDiff(before: Side | null, after: Side, redact: (text: string) => string): string {
  const from = before ?? nothing;
  if (from.sha256 === after.sha256) return before === null ? 'an empty file is made' : 'nothing changes';
  if (from.bytes === null || after.bytes === null) return `too large to be compared: ${sizes(before, after)}`;
  if (!isText(from.bytes) || !isText(after.bytes)) return `binary: ${sizes(before, after)}`;
  const [old, fresh] = [from.bytes.toString(), after.bytes.toString()];
  const shown = [shownLines(old, redact), shownLines(fresh, redact)] as const;
  if (shown[0] === null || shown[1] === null) return `a secret of several lines is in it: ${sizes(before, after)}`;
  const changes = lineChanges(linesOf(old), linesOf(fresh));
  const hunks = hunksOf(changes, [shown[0], shown[1]]).flat();
  return bounded(before === null ? ['a new file', ...hunks] : hunks, after);
}

const nothing: Side = { size: 0, sha256: createHash('sha256').digest('hex'), bytes: Buffer.alloc(0) };

const isText = (bytes: Buffer): boolean => isUtf8(bytes) && !bytes.includes(0);

function sizes(before: Side | null, after: Side): string {
  const was = before === null ? 'no file' : `${before.size} bytes`;
  return `${was} before, ${after.size} bytes after; sha256 ${after.sha256}`;
}

/** Each without its newline; a last one that has none says so, and differs from one that has. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return last === '' ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

/** `null`: what is taken out is more than parts of lines, so that they cannot be found again. */
function shownLines(text: string, redact: (text: string) => string): readonly string[] | null {
  const lines = linesOf(redact(text));
  return lines.length === linesOf(text).length ? lines : null;
}

type Sides = readonly [before: readonly string[], after: readonly string[]];

/** Changes that are near to each other are in one hunk. */
function hunksOf(changes: readonly LineChange[], sides: Sides): readonly (readonly string[])[] {
  const groups: LineChange[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && change.before[0] - last.before[1] <= 2 * context)
      group.push(change);
    else groups.push([change]);
  }
  return groups.map((group) => hunkOf(group, sides));
}

function hunkOf(changes: readonly LineChange[], [old, fresh]: Sides): readonly string[] {
  const [first, last] = [changes.at(0), changes.at(-1)];
  if (first === undefined || last === undefined) return [];
  const lead = Math.min(context, first.before[0]);
  const tail = Math.min(context, old.length - last.before[1]);
  const from = [first.before[0] - lead, first.after[0] - lead] as const;
  const lines: string[] = [];
  let at = from[0];
  for (const { before, after } of changes) {
    lines.push(...marked(' ', old.slice(at, before[0])));
    lines.push(...marked('-', old.slice(...before)), ...marked('+', fresh.slice(...after)));
    at = before[1];
  }
  lines.push(...marked(' ', old.slice(at, at + tail)));
  const counts = [last.before[1] + tail - from[0], last.after[1] + tail - from[1]] as const;
  return [`@@ -${range(from[0], counts[0])} +${range(from[1], counts[1])} @@`, ...lines];
}

/** A range of a unified diff: lines count from 1; an empty range has the number of the line before it (POSIX `diff -u`). */
const range = (from: number, count: number): string => `${count === 0 ? from : from + 1},${count}`;

const marked = (mark: string, lines: readonly string[]): readonly string[] => lines.map((line) => mark + line);

/** Both ends. */
function bounded(lines: readonly string[], { sha256 }: Side): string {
  const short = lines.map(shortened);
  const head = fitting(short, { lines: (maxLines / 4) * 3, bytes: (maxBytes / 4) * 3 });
  const rest = short.slice(head.length);
  const tail = fitting(rest.toReversed(), { lines: maxLines / 4, bytes: maxBytes / 4 }).toReversed();
  const left = rest.length - tail.length;
  const gap = left === 0 ? [] : [`[... ${left} of ${lines.length} lines are not shown; sha256 after it ${sha256} ...]`];
  return [...head, ...gap, ...tail].join('\n');
}

function fitting(lines: readonly string[], max: { readonly lines: number; readonly bytes: number }): readonly string[] {
  let bytes = 0;
  const over = lines.findIndex(
    (line, index) => index >= max.lines || (bytes += Buffer.byteLength(line) + 1) > max.bytes,
  );
  return over < 0 ? lines : lines.slice(0, over);
}

function shortened(line: string): string {
  if (line.length <= longestLine) return shownLine(line);
  const half = longestLine / 2;
  return `${shownLine(line.slice(0, half))}[... ${line.length - longestLine} characters ...]${shownLine(line.slice(-half))}`;
}
