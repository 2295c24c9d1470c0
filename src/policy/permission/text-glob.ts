/**
 * `command(GLOB)`: a pattern over the text of a command, as `approvals.deny` of Hermes has it. fnmatch(3) without regard to
 * case, where `*` also stands for separators, against the whole text and against each program in it with its arguments.
 */
import { type Analysis, hole, homeMark, type Simple } from '../../shell/types.ts';
import type { Finding } from '../types.ts';

/** One place of the pattern: any run of characters, any one, or one of those that it names. */
export type Piece = '*' | '?' | { readonly oneOf: string; readonly isNegated: boolean };

const bracket = /^\[(!?)(\]?[^\]]*)\]/;
const range = /([^])-([^])/g;

/** Reads `*`, `?`, `[abc]`, `[a-z]` and `[!abc]`; a bracket without an end is itself. */
export function piecesOf(glob: string): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let rest = glob.trim().toLowerCase(); rest !== '';) {
    const [whole, no, members] = bracket.exec(rest) ?? [];
    if (whole !== undefined && members !== undefined && members !== '') {
      pieces.push({ oneOf: withRanges(members), isNegated: no === '!' });
      rest = rest.slice(whole.length);
      continue;
    }
    const character = rest.charAt(0);
    pieces.push(character === '*' || character === '?' ? character : { oneOf: character, isNegated: false });
    rest = rest.slice(1);
  }
  return pieces;
}

/** `a-c` written out. */
const withRanges = (members: string): string =>
  members.replace(range, (_, first: string, last: string) => {
    const from = first.charCodeAt(0);
    const count = Math.max(0, last.charCodeAt(0) - from + 1);
    return String.fromCharCode(...Array.from({ length: count }, (_each, index) => from + index));
  });

/** In time proportional to the product of the lengths, whatever the pattern: a regular expression would not be. */
export function matchesPieces(pieces: readonly Piece[], text: string): boolean {
  let at = 0;
  let from = 0;
  let star = -1;
  let resume = 0;
  while (from < text.length) {
    const piece = pieces[at];
    if (piece === '*') {
      star = at;
      resume = from;
      at += 1;
    } else if (piece !== undefined && isOne(piece, text.charAt(from))) {
      at += 1;
      from += 1;
    } else if (star === -1) return false;
    else {
      resume += 1;
      at = star + 1;
      from = resume;
    }
  }
  return pieces.slice(at).every((piece) => piece === '*');
}

const isOne = (piece: Exclude<Piece, '*'>, character: string): boolean =>
  piece === '?' || piece.oneOf.includes(character) !== piece.isNegated;

/** Places of the commands that the pattern matches; the whole text where it matches that alone. */
export function matchedByGlob(
  pieces: readonly Piece[],
  { text, commands }: Analysis,
): readonly Pick<Finding, 'start' | 'end'>[] {
  const isMatch = (each: string): boolean => matchesPieces(pieces, plain(each));
  const single = commands.filter((command) => spellingsOf(command).some(isMatch));
  if (single.length > 0) return single.map(({ start, end }) => ({ start, end }));
  return isMatch(text) ? [{ start: 0, end: text.length }] : [];
}

/** The program stands by the path by which it is called, and by its bare name. */
function spellingsOf({ program, words }: Simple): readonly string[] {
  const texts = words.map(({ text }) => text.replaceAll(homeMark, '~').replaceAll(hole, '$'));
  const [called = '', ...rest] = texts;
  return program === null || program === ''
    ? [texts.join(' ')]
    : [[called, ...rest].join(' '), [program, ...rest].join(' ')];
}

const plain = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').toLowerCase();
