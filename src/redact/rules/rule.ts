/** What a rule of the second pass is: it decides about one place, by a bounded look around it. */
import { type ByteClass, has, latin1, runEnd } from '../bytes.ts';

export interface Text {
  readonly buffer: Buffer;
  /** Nothing before it may be looked at: it is gone, or was replaced. */
  readonly floor: number;
  /** No more bytes will come. */
  readonly final: boolean;
  /** Whether plain `key=` parameters count too. */
  readonly strict: boolean;
}

/** Takes a secret's bytes as they come. `buffer.length`: it may go on in the next chunk. */
export type Eat = (buffer: Buffer, at: number) => number;

export type RuleMatch =
  /** `from` is the first byte of the secret; `eat` goes on behind its prefix, if it has one. */
  | { readonly kind: string; readonly from: number; readonly eatFrom?: number; readonly eat: Eat }
  /** It depends on what comes. Bytes from here on wait. */
  | { readonly openFrom: number };

/** `at` is the first byte of the trigger, `end` the first behind it. */
export type Rule = (text: Text, at: number, end: number) => RuleMatch | null;

/** How far a rule looks ahead. A longer one is decided by its beginning, so that output does not wait for its end. */
export const lookAhead = 256;
/** How far rules look back in all: a name of 64 bytes, quotes, spaces, the longest trigger. */
export const lookBehind = 192;

export function eatClass(table: ByteClass): Eat {
  return (buffer, at) => runEnd(buffer, at, table);
}

export interface Run {
  readonly end: number;
  /** Whether the buffer ends before it is known where the run does. */
  readonly open: boolean;
}

/** The last run, of a buffer whose bytes do not change: in `key=key=key=` each value begins within the one before. */
const last: { buffer: Buffer | null; table: ByteClass | null; from: number; end: number } = {
  buffer: null,
  table: null,
  from: 0,
  end: 0,
};

export function boundedRun({ buffer, final }: Text, from: number, table: ByteClass): Run {
  const max = from + lookAhead;
  const isWithin = last.buffer === buffer && last.table === table && from >= last.from && from <= last.end;
  const end = runEnd(buffer, isWithin ? last.end : from, table, Math.min(max, buffer.length));
  last.buffer = buffer;
  last.table = table;
  last.from = from;
  last.end = end;
  return { end, open: !final && end === buffer.length && end < max };
}

export function precededBy({ buffer, floor }: Text, at: number, table: ByteClass): boolean {
  return at > floor && has(table, buffer[at - 1]);
}

/** The longest of these: `\u4e2d`. */
const longestEscape = 6;
/** `\n`, `\u4e2d`, `\x0a` and `%22` end in a letter or a digit that does not belong to the word behind them. */
const escapeEnd = /(?:\\[a-z]|\\u[\da-f]{4}|\\x[\da-f]{2}|%[\da-f]{2})$/i;

function mayEndEscape(buffer: Buffer, at: number): boolean {
  if (buffer[at - 2] === 0x5c || buffer[at - 3] === 0x25) return true;
  return buffer[at - 4] === 0x5c || buffer[at - 6] === 0x5c;
}

/** Whether it goes on a word of these bytes, so that nothing can begin here. */
export function goesOn(text: Text, at: number, table: ByteClass): boolean {
  if (!precededBy(text, at, table)) return false;
  if (!mayEndEscape(text.buffer, at)) return true;
  return !escapeEnd.test(latin1(text.buffer, Math.max(text.floor, at - longestEscape), at));
}
