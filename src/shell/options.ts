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
  /** Long options without a value in the next word, where others are not known: either reading may hold for those. */
  readonly flags?: readonly string[];
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
  if (text.startsWith('--')) return !text.includes('=') && long.some((each) => each.startsWith(text));
  const value = Array.from(text.slice(1)).findIndex((letter) => short.includes(letter));
  return value >= 0 && value === text.length - 2;
}

/**
 * Indexes behind the options that start at `from`, for every reading of them: a long option that is not known may take the next
 * word or not, and neither may one that is cut short so that two begin with it.
 */
export function endsOfOptions(
  words: readonly { readonly text: string }[],
  from: number,
  form: OptionForm,
): readonly number[] {
  const ends = new Set<number>();
  const reached = new Set([from]);
  for (const at of reached) {
    const text = words[at]?.text;
    if (text === undefined || !text.startsWith('-') || text === '-') ends.add(Math.min(at, words.length));
    else if (text === '--') ends.add(at + 1);
    else for (const step of stepsOver(text, form)) reached.add(at + step);
  }
  return [...ends];
}

const one = [1] as const;
const two = [2] as const;
const either = [1, 2] as const;

function stepsOver(text: string, { short = '', long = [], flags = [] }: OptionForm): readonly number[] {
  if (!text.startsWith('--') || text.includes('=')) return takesNext(text, short, long) ? two : one;
  if (flags.includes(text)) return one;
  if (long.includes(text)) return two;
  const isFlag = flags.some((each) => each.startsWith(text));
  const isValued = long.some((each) => each.startsWith(text));
  return isFlag === isValued ? either : isFlag ? one : two;
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

/** Operands among words, of a program some of whose options take a value as the next word. */
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
