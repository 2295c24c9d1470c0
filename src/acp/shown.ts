/**
 * Texts of strangers in questions: editors show them as Markdown, so that nothing in them may hide, reorder what is read, fetch an
 * image, or end the block in which they stand.
 */

// Controls, formats (bidi, zero width), surrogates, private and unassigned, line separators, and what renders as nothing.
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const titleUnits = 200;

/** Newlines and tabs stay; every other character that is not seen is spelled out. */
export function visible(text: string): string {
  return text.replace(invisible, (character) =>
    character === '\n' || character === '\t' ? character : spell(character),
  );
}

/** Whether something in a text is not seen by its reader. */
export function hidesSomething(text: string): boolean {
  return visible(text) !== text;
}

export function onOneLine(text: string): string {
  return visible(text).replace(/[\n\t]+/g, ' ');
}

/** One line, shortened. */
export function titleOf(text: string): string {
  const line = onOneLine(text);
  return line.length <= titleUnits ? line : `${line.slice(0, titleUnits)}...`;
}

/** Makes one line, shortened, as code within a line (CommonMark 0.31, section 6.1). */
export function codeTitle(text: string): string {
  const line = titleOf(text);
  const fence = '`'.repeat(longestRun(line) + 1);
  return line.trim() === '' ? 'an empty text' : `${fence} ${line} ${fence}`;
}

/** A block of code whose fence no line of it can close (section 4.5). */
export function codeBlock(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}\n${visible(text)}\n${fence}`;
}

/** Both ends of a long text. */
export function bounded(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  return `${text.slice(0, half)}\n[... ${text.length - 2 * half} characters are not shown ...]\n${text.slice(-half)}`;
}

function longestRun(text: string): number {
  return text.match(/`+/g)?.reduce((longest, run) => Math.max(longest, run.length), 0) ?? 0;
}

function spell(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
