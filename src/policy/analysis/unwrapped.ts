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
