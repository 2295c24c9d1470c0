/**
 * A command as it is shown to the person who decides. Nothing in it may move the cursor, hide, or change the order of what is
 * read; a long one shows both ends, its length and its hash, since things are hidden in an end that is not shown.
 */
import { createHash } from 'node:crypto';

// Controls, formats (bidi, zero width), surrogates, private and unassigned, line separators, and what renders as nothing.
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const foreign = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;
/** Looks like a blank, and is not one to a shell. */
const blanks = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu;
const shownUnits = 2000;

export interface Shown {
  readonly display: string;
  readonly warnings: readonly string[];
}

export function shownCommand(command: string): Shown {
  const ends = command.length > shownUnits ? cut(command) : null;
  const text =
    ends === null ? visible(command) : `${visible(ends.head)}\n[... ${ends.what} ...]\n${visible(ends.tail)}`;
  return { display: text, warnings: warningsFor(command) };
}

function cut(command: string): { readonly head: string; readonly tail: string; readonly what: string } {
  const half = shownUnits / 2;
  const hash = createHash('sha256').update(command).digest('hex');
  return {
    head: command.slice(0, half),
    tail: command.slice(-half),
    what: `${command.length - shownUnits} of ${command.length} characters are not shown; sha256 ${hash}`,
  };
}

/** Newlines stay, so that a script reads as one; everything else that is not seen is spelled out. */
function visible(text: string): string {
  return text
    .replace(invisible, (character) => (character === '\n' ? character : spell(character)))
    .replace(blanks, spell);
}

/** A line of a file, whose tabs are part of its form. */
export function shownLine(line: string): string {
  return line.split('\t').map(visible).join('\t');
}

function warningsFor(command: string): readonly string[] {
  const strange = command.replace(/[\n\t]/g, '');
  return [
    ...(strange.search(invisible) >= 0 || strange.search(blanks) >= 0 ? ['it holds characters that are not seen'] : []),
    ...(foreign.test(command) ? ['it holds letters that may look like others'] : []),
    ...(command.trim().includes('\n') ? [`it has ${command.trim().split('\n').length} lines`] : []),
    ...(command.length > shownUnits ? [`it is long: ${command.length} characters`] : []),
  ];
}

function spell(character: string): string {
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  const code = character.codePointAt(0) ?? 0;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
