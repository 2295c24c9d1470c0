/** Characters that make a command read otherwise than it looks. */
import type { Note } from './types.ts';

const hidden =
  /[\u0001-\u0008\u000b-\u001f\u007f-\u009f\u00a0\u00ad\u061c\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufeff\uffa0\ufff9-\ufffd\ud800-\udfff]|\u034f|[\u180b-\u180d]/u;
/** Joins emoji; only there it is what it seems. */
const emojiJoiner = /(?<=\p{Extended_Pictographic}|\ufe0f|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})/gu;
const ansi = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
const ignorable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\p{Default_Ignorable_Code_Point}]/gu;

const ascii = /^[\t\n\u0020-\u007e]*$/;

/** Note of the first hidden character; `null`: the text has none. */
export function hiddenNote(text: string): Note | null {
  if (ascii.test(text)) return null;
  const visible = text.replace(emojiJoiner, ' ');
  const start = visible.search(hidden);
  return start < 0
    ? null
    : { rule: 'U4', description: 'characters that are not shown as they are', start, end: start + 1 };
}

/** The text in the reading of a careless person, or of another shell; `null` when that is the same. */
export function folded(text: string): string | null {
  const plain = ascii.test(text) && !text.includes('\\\n');
  if (plain) return null;
  const view = text
    .replace(/(?<!\\)\\\n/g, '')
    .replace(ansi, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[\u2028\u2029\u0085]/g, '\n')
    .replace(ignorable, '')
    .normalize('NFKC')
    .replace(/\p{Zs}/gu, ' ');
  return view === text ? null : view;
}

/** The text in the reading of a shell without `$'...'`, such as dash: the string ends at the first quote. `null`: the same. */
export function withoutAnsi(text: string): string | null {
  if (!/\$'[^']*\\'/.test(text)) return null;
  return text.replace(/(?<!\\)((?:\\\\)*)\$'/g, (_all, before: string) => `${before}\\$'`);
}

/** A name that normalises to another is made to look like it; a mark that stands first is drawn over what is before it. */
export function disguised(name: string): boolean {
  return !ascii.test(name) && (name.normalize('NFKC') !== name || /^\p{M}/u.test(name));
}
