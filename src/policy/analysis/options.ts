/** Reading the options of other programs, as far as needed to find what they run. */
export interface OptionForm {
  /** Short options that take a value, as letters: `ug`. */
  readonly short?: string;
  /** Long options that take a value as the next word: `--user`. */
  readonly long?: readonly string[];
  /** Operands between the options and the command: a duration, a priority. */
  readonly operands?: number;
  /** An operand before the others, which may be left out: an architecture. */
  readonly optional?: RegExp;
  /** Whether `NAME=value` words stand before the command. */
  readonly assigns?: boolean;
  /** Options with which nothing is run: `command -v`. */
  readonly queries?: readonly string[];
}

/** Index behind the options that start at `from`. */
export function afterOptions(
  words: readonly { readonly text: string }[],
  from: number,
  { short = '', long = [] }: OptionForm,
): number {
  let at = from;
  while (at < words.length) {
    const text = words[at]?.text ?? '';
    if (text === '--') return at + 1;
    if (!text.startsWith('-') || text === '-') return at;
    at += takesNext(text, short, long) ? 2 : 1;
  }
  return at;
}

function takesNext(text: string, short: string, long: readonly string[]): boolean {
  if (text.startsWith('--')) return !text.includes('=') && long.includes(text);
  const value = Array.from(text.slice(1)).findIndex((letter) => short.includes(letter));
  return value >= 0 && value === text.length - 2;
}

/** Flags of a command, short clusters taken apart: `-rf --force=x` -> `-r`, `-f`, `--force`. Nothing behind `--`. */
export function flagsOf(texts: readonly string[]): readonly string[] {
  const flags: string[] = [];
  for (const text of texts) {
    if (text === '--') break;
    if (text.startsWith('--')) flags.push(text.split('=', 1)[0] ?? text);
    else if (text.startsWith('-')) for (const letter of text.slice(1)) flags.push(`-${letter}`);
  }
  return flags;
}

/** Words that are no options, and everything behind `--`. */
export function operandsOf<T extends { readonly text: string }>(words: readonly T[]): readonly T[] {
  const end = words.findIndex(({ text }) => text === '--');
  const head = (end < 0 ? words : words.slice(0, end)).filter(({ text }) => !text.startsWith('-') || text === '-');
  return end < 0 ? head : [...head, ...words.slice(end + 1)];
}

/** Operands of a program some of whose options take a value as the next word. */
export function operandsAfter(args: readonly string[], form: OptionForm): readonly string[] {
  return wordsAfter(
    args.map((text) => ({ text })),
    form,
  ).map(({ text }) => text);
}

/** The same of words. */
export function wordsAfter<T extends { readonly text: string }>(words: readonly T[], form: OptionForm): readonly T[] {
  const operands: T[] = [];
  for (let at = afterOptions(words, 0, form); at < words.length; at = afterOptions(words, at + 1, form)) {
    const word = words[at];
    if (word !== undefined) operands.push(word);
  }
  return operands;
}

/** Whether a long option is given, also cut short as GNU programs allow: `--rec` for `--recursive`. */
export function hasLong(texts: readonly string[], full: string, atLeast = 3): boolean {
  return texts.some((text) => {
    if (!text.startsWith('--')) return false;
    const name = text.split('=', 1)[0] ?? text;
    return name === full || (name.length >= atLeast + 2 && full.startsWith(name));
  });
}
