/** A unified diff of one file, applied. Pure. */
import { placesOf } from './places.ts';
import { maxGrown, patchTooLargeError, patchMismatchError } from './unfit.ts';

/** Lines looked at for hunks that are not where they say. */
const maxLooks = 50_000_000;

interface Hunk {
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Its old lines are the last ones. */
  readonly toEnd: boolean;
}

/**
 * The format of `diff -u`, of one file. A hunk goes to its line, or to the only place after the hunk before it where its
 * old lines stand. Throws `invalid_argument` when one goes nowhere.
 */
export function applyDiff(text: string, diff: string): string {
  const lines = text.split('\n');
  const parts: (readonly string[])[] = [];
  let taken = 0;
  let looks = 0;
  const hunks = parseHunks(diff);
  checkGrowth(text, hunks);
  for (const hunk of hunks) {
    let at = hunk.line;
    if (!stands(lines, hunk, { at, from: taken })) {
      looks += lines.length - taken;
      if (looks > maxLooks) throw patchMismatchError('too many hunks are not where they say');
      at = onlyPlaceOf(lines, hunk, taken);
    }
    parts.push(lines.slice(taken, at), hunk.after);
    taken = at + hunk.before.length;
  }
  return [...parts, lines.slice(taken)].flat().join('\n');
}

const header = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

function parseHunks(diff: string): readonly Hunk[] {
  const lines = diff.split('\n').map((line) => (isMark(line) ? line.replace(/\r$/, '') : line));
  const hunks: Hunk[] = [];
  for (let at = 0; at < lines.length;) {
    const [match, line, before = '1', after = '1'] = header.exec(lines[at] ?? '') ?? [];
    if (match === undefined) {
      if (hunks.length > 0 && lines[at]?.startsWith('+++ ') === true)
        throw patchMismatchError('the diff is of several files');
      at += 1;
      continue;
    }
    const { end, ...taken } = takeHunk(lines, at + 1, { before: Number(before), after: Number(after) });
    // A hunk without old lines comes after the line it names.
    hunks.push({ ...taken, line: Number(line) - (Number(before) === 0 ? 0 : 1) });
    at = end;
  }
  if (hunks.length === 0) throw patchMismatchError('the diff has no hunk that begins with @@');
  return hunks;
}

const isMark = (line: string): boolean => line.startsWith('@@') || line.startsWith('\\');

interface HunkMatch extends Omit<Hunk, 'line'> {
  /** The first line behind it. */
  readonly end: number;
}

/** How many lines a hunk has is said before; who miscounts has not said what is meant. */
function takeHunk(
  lines: readonly string[],
  from: number,
  count: { readonly before: number; readonly after: number },
): HunkMatch {
  const before: string[] = [];
  const after: string[] = [];
  /** Which side has no newline at its end. */
  const open = { before: false, after: false };
  let at = from;
  let last = '';
  for (; before.length < count.before || after.length < count.after || lines[at]?.[0] === '\\'; at += 1) {
    const line = lines[at];
    const mark = line === '' ? ' ' : line?.[0]; // editors cut the blank of an empty line off
    if (line === undefined || mark === undefined || !' +-\\'.includes(mark))
      throw patchMismatchError('a hunk of the diff is cut off');
    if (mark === '\\') {
      open.before ||= last !== '+';
      open.after ||= last !== '-';
      continue;
    }
    if (mark !== '+') before.push(line.slice(1));
    if (mark !== '-') after.push(line.slice(1));
    last = mark;
  }
  if (before.length > count.before || after.length > count.after || goesOn(lines, at))
    throw patchMismatchError('a hunk of the diff has more lines than it says');
  return { ...ended({ before, after }, open), end: at };
}

/** A line of a hunk, and neither the head of another file nor the signature of a mail. */
function goesOn(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  const isHead = line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ') === true;
  return /^[-+ ]/.test(line) && line !== '-- ' && !isHead;
}

/** A text that ends in a newline has an empty last line here, so a side that has none where the other has one is one line less. */
function ended(
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
  open: { readonly before: boolean; readonly after: boolean },
): Omit<Hunk, 'line'> {
  const toEnd = open.before || open.after;
  return {
    before: open.after && !open.before ? [...before, ''] : before,
    after: open.before && !open.after ? [...after, ''] : after,
    toEnd,
  };
}

function stands(
  lines: readonly string[],
  { before, toEnd }: Hunk,
  { at, from }: { readonly at: number; readonly from: number },
): boolean {
  const end = at + before.length;
  // Behind the last newline there is nothing to add to.
  const max = before.length === 0 && lines.at(-1) === '' ? lines.length - 1 : lines.length;
  if (at < from || end > max || (toEnd && end !== lines.length)) return false;
  return before.every((text, index) => lines[at + index] === text);
}

function onlyPlaceOf(lines: readonly string[], hunk: Hunk, from: number): number {
  const places = hunk.before.length === 0 ? [] : standsAt(lines, hunk, from);
  const [only] = places;
  if (only !== undefined && places.length === 1) return only;
  throw patchMismatchError(
    `the hunk at line ${hunk.line + 1} fits ${places.length === 0 ? 'nowhere' : 'at 2 places or more'}`,
  );
}

/** The first two. */
function standsAt(lines: readonly string[], { before, toEnd }: Hunk, from: number): readonly number[] {
  if (!toEnd) return placesOf(lines, before, { from, max: 2 });
  const last = lines.length - before.length;
  return last >= from && before.every((line, at) => lines[last + at] === line) ? [last] : [];
}

function checkGrowth(text: string, hunks: readonly Hunk[]): void {
  const max = maxGrown(Buffer.byteLength(text));
  const grown = hunks.reduce(
    (bytes, { before, after }) => bytes + bytesOf(after) - bytesOf(before),
    Buffer.byteLength(text),
  );
  if (grown > max) throw patchTooLargeError(max);
}

const bytesOf = (lines: readonly string[]): number =>
  lines.reduce((bytes, line) => bytes + Buffer.byteLength(line) + 1, 0);
