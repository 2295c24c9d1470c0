/** What is found inside a command that runs others. */
import type { Elsewhere, Word } from './types.ts';

export interface Text {
  readonly text: string;
  /** `$1` and on. */
  readonly positional?: readonly Word[];
  readonly word: Word;
  /** Place in which the text runs, if it differs from the place of the program. */
  readonly elsewhere?: Elsewhere;
}

export interface Unwrapped {
  readonly commands: readonly (readonly Word[])[];
  readonly assignments?: readonly Word[];
  readonly texts?: readonly Text[];
  readonly elsewhere?: Elsewhere;
}

/** What is run in another place. */
export const away = (elsewhere: Elsewhere, inner: Unwrapped | null): Unwrapped | null =>
  inner === null ? null : { ...inner, elsewhere };

/** Several words that a program joins before a shell reads them. */
export function joined(words: readonly Word[]): readonly Text[] {
  const [word] = words;
  return word === undefined ? [] : [{ text: words.map(({ text }) => text).join(' '), word }];
}

/** The value of an option whose value is a text for a shell. */
export function optionText(words: readonly Word[], flag: RegExp, glued: RegExp): Unwrapped | null {
  const at = words.findIndex(({ text }, index) => index > 0 && (flag.test(text) || glued.test(text)));
  const word = words[at];
  if (word === undefined) return null;
  if (glued.test(word.text)) return { commands: [], texts: [{ text: word.text.replace(glued, ''), word }] };
  const next = words[at + 1];
  return next === undefined ? null : { commands: [], texts: [{ text: next.text, word: next }] };
}
