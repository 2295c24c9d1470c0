/** Changes to a text: exact replacements, or a unified diff. Pure. A patch applies as a whole or not at all. */
import { CaissonError } from '../../errors.ts';

export interface Edit {
  readonly find: string;
  readonly replace: string;
  /** Every place. Otherwise there must be exactly one. */
  readonly all?: boolean;
}

export type Change = { readonly edits: readonly Edit[] } | { readonly diff: string };

/** Throws `invalid_argument` for a change that is neither, as a model may send it, or that does not apply. */
export function applyChange(text: string, change: Partial<{ edits: readonly Edit[]; diff: string }>): string {
  const { edits, diff } = change;
  if (typeof diff === 'string' && edits === undefined) return applyDiff(text, diff);
  if (Array.isArray(edits) && edits.every(isEdit) && diff === undefined) return applyEdits(text, edits);
  throw new CaissonError('invalid_argument', 'a patch has either edits, each with find and replace, or a diff', {
    remedy: 'give one of the two; nothing was changed',
  });
}

function isEdit(edit: Partial<Edit> | null): boolean {
  return typeof edit?.find === 'string' && typeof edit.replace === 'string';
}

/** Of a text that is patched. A few short edits could make anything of any size. */
const mostCharacters = 64 * 1024 * 1024;
/** Lines looked at for hunks that are not where they say. */
const mostLooks = 50_000_000;

/** Throws `invalid_argument` for a text that is not there, or is there more than once. */
function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits.reduce((current, { find, replace, all = false }, at) => {
    if (find === '') throw unfit(`edit ${at + 1} looks for nothing`);
    const found = current.split(find).length - 1;
    if (found === 0) throw unfit(`the text of edit ${at + 1} is not there`);
    if (found > 1 && !all) throw unfit(`the text of edit ${at + 1} is there ${found} times`);
    if (current.length + found * (replace.length - find.length) > mostCharacters)
      throw unfit(`edit ${at + 1} makes more than ${mostCharacters} characters of it`);
    return current.split(find).join(replace);
  }, text);
}

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
function applyDiff(text: string, diff: string): string {
  const lines = text.split('\n');
  const parts: (readonly string[])[] = [];
  let taken = 0;
  let looks = 0;
  for (const hunk of hunksOf(diff)) {
    let at = hunk.line;
    if (!stands(lines, hunk, { at, from: taken })) {
      looks += lines.length - taken;
      if (looks > mostLooks) throw unfit('too many hunks are not where they say');
      at = onlyPlaceOf(lines, hunk, taken);
    }
    parts.push(lines.slice(taken, at), hunk.after);
    taken = at + hunk.before.length;
  }
  return [...parts, lines.slice(taken)].flat().join('\n');
}

const header = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

function hunksOf(diff: string): readonly Hunk[] {
  const lines = diff.split('\n').map((line) => (isMark(line) ? line.replace(/\r$/, '') : line));
  const hunks: Hunk[] = [];
  for (let at = 0; at < lines.length;) {
    const [match, line, before = '1', after = '1'] = header.exec(lines[at] ?? '') ?? [];
    if (match === undefined) {
      if (hunks.length > 0 && lines[at]?.startsWith('+++ ') === true) throw unfit('the diff is of several files');
      at += 1;
      continue;
    }
    const { end, ...taken } = takeHunk(lines, at + 1, { before: Number(before), after: Number(after) });
    // A hunk without old lines comes after the line it names.
    hunks.push({ ...taken, line: Number(line) - (Number(before) === 0 ? 0 : 1) });
    at = end;
  }
  if (hunks.length === 0) throw unfit('the diff has no hunk that begins with @@');
  return hunks;
}

const isMark = (line: string): boolean => line.startsWith('@@') || line.startsWith('\\');

interface Taken extends Omit<Hunk, 'line'> {
  /** The first line behind it. */
  readonly end: number;
}

/** How many lines a hunk has is said before; who miscounts has not said what is meant. */
function takeHunk(
  lines: readonly string[],
  from: number,
  count: { readonly before: number; readonly after: number },
): Taken {
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
      throw unfit('a hunk of the diff is cut off');
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
    throw unfit('a hunk of the diff has more lines than it says');
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
  const most = before.length === 0 && lines.at(-1) === '' ? lines.length - 1 : lines.length;
  if (at < from || end > most || (toEnd && end !== lines.length)) return false;
  return before.every((text, index) => lines[at + index] === text);
}

function onlyPlaceOf(lines: readonly string[], hunk: Hunk, from: number): number {
  const places = hunk.before.length === 0 ? [] : placesOf(lines, hunk, from);
  const [only] = places;
  if (only !== undefined && places.length === 1) return only;
  throw unfit(`the hunk at line ${hunk.line + 1} fits ${places.length === 0 ? 'nowhere' : 'at 2 places or more'}`);
}

/** The first two (Knuth, Morris and Pratt, 1977): a text whose lines are all alike takes no longer than another. */
function placesOf(lines: readonly string[], hunk: Hunk, from: number): readonly number[] {
  const { before } = hunk;
  const back = fallbacks(before);
  const places: number[] = [];
  let matched = 0;
  for (let at = from; at < lines.length && places.length < 2; at += 1) {
    while (matched > 0 && (matched === before.length || lines[at] !== before[matched]))
      matched = back[matched - 1] ?? 0;
    if (lines[at] === before[matched]) matched += 1;
    const start = at + 1 - before.length;
    if (matched === before.length && (!hunk.toEnd || at + 1 === lines.length)) places.push(start);
  }
  return places;
}

/** By line: how many lines that end there are also those at the beginning. */
function fallbacks(before: readonly string[]): readonly number[] {
  const back = [0];
  for (let at = 1; at < before.length; at += 1) {
    let length = back[at - 1] ?? 0;
    while (length > 0 && before[at] !== before[length]) length = back[length - 1] ?? 0;
    back.push(before[at] === before[length] ? length + 1 : 0);
  }
  return back;
}

function unfit(why: string): CaissonError {
  return new CaissonError('invalid_argument', `the patch does not apply: ${why}; nothing was changed`, {
    remedy: 'read the file again and make the patch from what is there',
  });
}
