/** Characters that a person does not see, or sees as others. They are looked for in the text as it is. */
import { isLookAlike } from './fold.ts';
import type { ScanFinding } from './types.ts';

type CharacterFinding = Omit<ScanFinding, 'line'>;

/** Embeddings, overrides and isolates (UAX 9). */
const bidirectional = /[\u202a-\u202e\u2066-\u2069]+/gu;
/** Marks that only order neutral characters are usual in texts that are written from right to left. */
const marks = /[\u200e\u200f\u061c]+/gu;
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
const invisible =
  /(?:[\u00ad\u115f\u1160\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|\u034f|[\u180b-\u180f]|[\ufe00-\ufe0f])+/gu;
const control = /[\0-\x08\x0b\x0e-\x1f\x7f-\x9f]+/gu;
const words = /[\p{L}\p{M}\p{N}]+/gu;

export function characterFindings(text: string): readonly CharacterFinding[] {
  const isRightToLeft = rightToLeft.test(text);
  return [
    ...found(text, bidirectional, 'bidirectional_characters', 'changes the order in which text is shown'),
    ...(isRightToLeft
      ? []
      : found(text, marks, 'bidirectional_characters', 'changes the order in which text is shown')),
    ...found(text, invisible, 'invisible_characters', 'has invisible characters').filter(
      ({ start, end }) => !isUsual(text, start, end),
    ),
    ...found(text, control, 'control_characters', 'has characters that control a terminal'),
    ...confusables(text),
  ];
}

function found(
  text: string,
  pattern: RegExp,
  category: CharacterFinding['category'],
  description: string,
): readonly CharacterFinding[] {
  return [...text.matchAll(pattern)].map(({ index, 0: match }) => ({
    category,
    rule: [...new Set(Array.from(match, codeOf))].slice(0, 4).join(' '),
    description,
    start: index,
    end: index + match.length,
  }));
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

const pictograph = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\u20e3#*0-9]$/u;
const flagTags = /^[\u{e0020}-\u{e007f}]+$/u;
/** Scripts in which joiners are a part of spelling. */
const joining =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Khmer}\p{Script=Mongolian}]$/u;

/** A byte order mark at the start, the inside of an emoji, spelling. */
function isUsual(text: string, start: number, end: number): boolean {
  const run = text.slice(start, end);
  const before = text.slice(Math.max(0, start - 2), start);
  if (run === '\ufeff') return start === 0;
  if (run === '\ufe0f' || run === '\ufe0e' || run === '\ufe0f\u200d' || run === '\u200d') {
    return pictograph.test(before) || (run === '\u200d' && joining.test(before));
  }
  if (run === '\u200c') return joining.test(before);
  return before === '\u{1f3f4}' && flagTags.test(run);
}

const latin = /[a-z]/i;

/** Words that mix Latin letters with letters of another script that look like them. */
function confusables(text: string): readonly CharacterFinding[] {
  return [...text.matchAll(words)].flatMap(({ index, 0: word }) => {
    const others = Array.from(word).filter((character) => character > '\u007f');
    const mixed = others.length > 0 && latin.test(word) && others.every(isLookAlike);
    if (!mixed) return [];
    const rule = [...new Set(others.map(codeOf))].slice(0, 4).join(' ');
    const description = 'mixes letters of two scripts that look alike';
    return [{ category: 'confusable_characters' as const, rule, description, start: index, end: index + word.length }];
  });
}
