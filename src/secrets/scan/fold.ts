/**
 * A text as a reader sees it: compatibility forms and look-alikes become plain letters, what is invisible is gone, all
 * is lower case. Offsets lead back to the original. Pure.
 */

export interface Folded {
  readonly text: string;
  /** For each unit of `text`, and one more: the index in the original. */
  readonly origin: Uint32Array;
}

/** Cyrillic, Greek and other letters that look like Latin ones (Unicode TS 39, the common part of confusables.txt). */
const lookAlikes: ReadonlyMap<string, string> = new Map(
  [
    ...['аa', 'еe', 'оo', 'рp', 'сc', 'уy', 'хx', 'іi', 'јj', 'ѕs', 'ԁd', 'һh', 'ԛq', 'ԝw', 'ӏl', 'вb', 'кk', 'мm'],
    ...['нh', 'тt', 'ոn', 'οo', 'αa', 'νv', 'ρp', 'τt', 'υu', 'ιi', 'κk', 'ϲc', 'ѵv', 'ɡg', 'ɑa', 'ıi', 'օo', 'սu'],
  ].map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);

export const isLookAlike = (character: string): boolean => lookAlikes.has(character.toLowerCase());

const invisible = /^[\p{Cf}\p{Mn}\u115f\u1160\u3164\uffa0]$/u;

export function fold(text: string): Folded {
  const parts: string[] = [];
  const origin: number[] = [];
  let at = 0;
  for (const character of text) {
    const folded = foldOne(character);
    for (let unit = 0; unit < folded.length; unit += 1) origin.push(at);
    parts.push(folded);
    at += character.length;
  }
  origin.push(at);
  return { text: parts.join(''), origin: Uint32Array.from(origin) };
}

function foldOne(character: string): string {
  if (character < '\u0080') return character.toLowerCase();
  if (invisible.test(character)) return '';
  const lower = character.toLowerCase();
  return lookAlikes.get(lower) ?? lower.normalize('NFKC').toLowerCase();
}
