/** Changes to a text: exact replacements, or a unified diff. Pure. A patch applies as a whole or not at all. */
import { CaissonError } from '../../errors.ts';

export interface Edit {
  readonly find: string;
  readonly replace: string;
  /** Every place. Otherwise there must be exactly one. */
  readonly all?: boolean;
}

/** Throws `invalid_argument` for a text that is not there, or is there more than once. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits.reduce((current, { find, replace, all = false }, at) => {
    if (find === '') throw unfit(`edit ${at + 1} looks for nothing`);
    const found = current.split(find).length - 1;
    if (found === 0) throw unfit(`the text of edit ${at + 1} is not there`);
    if (found > 1 && !all) throw unfit(`the text of edit ${at + 1} is there ${found} times`);
    return current.split(find).join(replace);
  }, text);
}

interface Hunk {
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * The format of `diff -u`, of one file. A hunk goes to its line, or to the only place after the hunk before it where its
 * old lines stand. Throws `invalid_argument` when one goes nowhere.
 */
export function applyDiff(text: string, diff: string): string {
  const lines = text.split('\n');
  const result: string[] = [];
  let taken = 0;
  for (const hunk of hunksOf(diff)) {
    const at = placeOf(lines, hunk, taken);
    result.push(...lines.slice(taken, at), ...hunk.after);
    taken = at + hunk.before.length;
  }
  return [...result, ...lines.slice(taken)].join('\n');
}

const header = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

function hunksOf(diff: string): readonly Hunk[] {
  const lines = diff.split('\n');
  const hunks: Hunk[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [match, line, before = '1', after = '1'] = header.exec(lines[at] ?? '') ?? [];
    if (match === undefined) continue;
    const taken = takeHunk(lines, at + 1, { before: Number(before), after: Number(after) });
    // A hunk without old lines comes after the line it names.
    hunks.push({ ...taken, line: Number(line) - (Number(before) === 0 ? 0 : 1) });
  }
  if (hunks.length === 0) throw unfit('the diff has no hunk that begins with @@');
  return hunks;
}

/** A text that ends in a newline has an empty last line here, so a missing newline is a line that must be the last. */
function takeHunk(
  lines: readonly string[],
  from: number,
  count: { readonly before: number; readonly after: number },
): Pick<Hunk, 'before' | 'after'> {
  const before: string[] = [];
  const after: string[] = [];
  const isOpen = (): boolean => before.length < count.before || after.length < count.after;
  for (let at = from; isOpen(); at += 1) {
    const line = lines[at];
    const mark = line === '' ? ' ' : line?.[0]; // editors cut the blank of an empty line off
    if (line === undefined || mark === undefined || !' +-\\'.includes(mark))
      throw unfit('a hunk of the diff is cut off');
    if (mark !== '+' && mark !== '\\') before.push(line.slice(1));
    if (mark !== '-' && mark !== '\\') after.push(line.slice(1));
  }
  return { before, after };
}

function placeOf(lines: readonly string[], { line, before }: Hunk, from: number): number {
  const stands = (at: number): boolean => at >= from && before.every((text, index) => lines[at + index] === text);
  if (stands(line)) return line;
  const places = lines.flatMap((_line, at) => (before.length > 0 && stands(at) ? [at] : []));
  const [only] = places;
  if (only !== undefined && places.length === 1) return only;
  throw unfit(`the hunk at line ${line + 1} fits ${places.length === 0 ? 'nowhere' : `at ${places.length} places`}`);
}

function unfit(why: string): CaissonError {
  return new CaissonError('invalid_argument', `the patch does not apply: ${why}; nothing was changed`, {
    remedy: 'read the file again and make the patch from what is there',
  });
}
