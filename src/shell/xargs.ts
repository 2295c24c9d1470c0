/** Commands that get words from elsewhere: what is fed to xargs, what find finds. */
import type { Unwrapped } from './unwrapped.ts';
import { hole, type Word } from './types.ts';
import { type Inner, innersOf, wrappers } from './wrappers.ts';

export function unwrapXargs(words: readonly Word[], program: string): Unwrapped | null {
  const inners = innersOf(words, wrappers.get(program) ?? {});
  return inners.length === 0 ? null : { commands: inners.map((inner) => fedTo(inner, words, program)) };
}

function fedTo(inner: Inner, words: readonly Word[], program: string): readonly Word[] {
  const marker = markerOf(words.slice(1, words.length - inner.words.length)) ?? '{}';
  const end = program === 'parallel' ? inner.words.findIndex(({ text }) => text.startsWith(':::')) : -1;
  const own = end < 0 ? inner.words : inner.words.slice(0, end);
  const replaced = withPlaced(own, marker, hole);
  const fed = end < 0 ? [unknownWord(words)] : inner.words.slice(end + 1);
  return replaced !== own && end < 0 ? replaced : replaced.concat(fed);
}

/** Puts the value in the place of the mark. Returns `words` itself when no word holds the mark. */
function withPlaced(words: readonly Word[], mark: string, value: string): readonly Word[] {
  if (mark === value || !words.some(({ text }) => text.includes(mark))) return words;
  return words.map((word) =>
    word.text.includes(mark) ? { ...word, text: word.text.replaceAll(mark, value), literal: false } : word,
  );
}

/** What stands for a line of input: `-I{}`, `-I {}`, `--replace=%`. `null`: lines go to the end. */
export function markerOf(options: readonly Word[]): string | null {
  const at = options.findLastIndex(({ text }) => /^-I|^-i$|^--replace/.test(text));
  const text = options[at]?.text;
  if (text === undefined) return null;
  const glued = text.replace(/^-I|^--replace=?|^-i$/, '');
  return glued !== '' ? glued : text === '-I' ? (options[at + 1]?.text ?? null) : '{}';
}

/** A text with more is asked about for its length alone. */
const maxFound = 10_000;
const runsFound = /^(?:-(?:exec|ok)(?:dir)?|-x|-X|--exec|--exec-batch)$/;

/** `-exec ... ;`, `-execdir ... +`, `-ok`, and `-x` of fd. What is found stands for `{}`. */
export function unwrapFind(words: readonly Word[]): Unwrapped | null {
  const starts = startsOf(words);
  const commands: (readonly Word[])[] = [];
  for (let at = 1; at < words.length && commands.length < maxFound; at += 1) {
    if (!runsFound.test(words[at]?.text ?? '')) continue;
    const from = at + 1;
    at = endOfExec(words, from);
    const own = words.slice(from, at);
    for (const start of own.length > 0 ? starts : []) commands.push(withPlaced(own, '{}', start));
  }
  return commands.length === 0 ? null : { commands };
}

function endOfExec(words: readonly Word[], from: number): number {
  let at = from;
  while (at < words.length && !(words[at]?.text === ';' || (words[at]?.text === '+' && words[at - 1]?.text === '{}')))
    at += 1;
  return at;
}

const maxStarts = 4;

/** Directories in which find looks: every path that it finds begins with one of them. */
function startsOf(words: readonly Word[]): readonly string[] {
  const first = words.findIndex(({ text }, at) => at > 0 && /^[-(!]/.test(text) && !/^-[HLP]$/.test(text));
  const starts = /^fd/.test(words[0]?.text ?? '')
    ? []
    : words.slice(1, Math.max(1, first)).filter(({ text }) => /^[/~\u0001]/.test(text));
  return starts.length === 0 ? [hole] : starts.slice(0, maxStarts).map(({ text }) => `${text}/${hole}`);
}

export function unknownWord(near: readonly Word[]): Word {
  const { start = 0, end = 0 } = near[0] ?? {};
  return { text: hole, raw: '', start, end, literal: false, glob: false };
}
