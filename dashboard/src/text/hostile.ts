/** Text of a third party, as it is safe to show and to copy. Pure. */

/** Controls, marks that reorder, invisible ones, and halves of a pair. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;
const unseenButLines = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** One line: what is not seen, or reorders what is, is written as its number. */
export const shown = (text: string): string => text.replaceAll(unseen, escaped);

/** Several lines, on the terms of `shown`. */
export const shownLines = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll(unseenButLines, escaped);

/** Whether what is copied is what was seen: a line break ends a command line, and an escape sequence acts on the terminal. */
export const isPlain = (text: string): boolean => text.search(unseen) === -1;

/** The end of a long text in one line. */
export function cut(text: string, most: number): string {
  const all = [...text];
  return all.length <= most ? text : `${all.slice(0, most - 1).join('')}…`;
}

/** A part of an address. Halves of a pair have no form there (RFC 3986, section 2.5), and become the character that stands for them. */
export const addressPart = (text: string): string => encodeURIComponent(text.toWellFormed());
