/**
 * Whether a name and what stands behind it are those of a text. In an image, an archive or random bytes, `pw=` stands by
 * chance, and a placeholder would break the file. A shape beyond chance, such as `ghp_` and 36 letters, counts everywhere.
 */
import { isUtf8 } from 'node:buffer';
import { byteClass, runEnd } from '../bytes.ts';
import { NextByte } from '../next.ts';
import { lookAhead, type Text } from './rule.ts';

/** So much before a separator is looked at; rules may look back at all of it. */
const farthest = 160;
/** Controls that texts do not have: neither spaces, colours and bells nor NUL, which ends variables of `/proc/PID/environ`. */
const foreign = byteClass('', [
  ['\x01', '\x06'],
  ['\x10', '\x1a'],
  ['\x1c', '\x1f'],
]);
/** In a value, a tab is the only control. */
const controls = byteClass('\x7f', [
  ['\0', '\x08'],
  ['\x0a', '\x1f'],
]);
const printable = byteClass('\t', [[' ', '~']]);
const nextForeign = new NextByte(foreign);
const longestCharacter = 4;

export interface Span {
  readonly from: number;
  readonly end: number;
}

/** `at` is the separator, and `value` what a rule has found behind it: what comes later decides nothing, so that nothing waits. */
export function isOfText({ buffer, floor }: Text, at: number, { from, end }: Span): boolean {
  if (runEnd(buffer, from, printable, end) < end && !isTextOfMore(buffer, from, end)) return false;
  const start = Math.max(floor, at - farthest);
  // Texts in older encodings are no UTF-8, and have no such controls.
  return !nextForeign.isWithin(buffer, start, at) || isUtf8(withoutCutStart(buffer.subarray(start, at)));
}

/** Beyond ASCII. */
function isTextOfMore(buffer: Buffer, from: number, end: number): boolean {
  const value = buffer.subarray(from, end);
  const isCut = end === buffer.length || end - from >= lookAhead;
  return !value.some((byte) => controls[byte] === 1) && isUtf8(isCut ? withoutCut(value) : value);
}

/** Without a character that the end of the stream or of the look-ahead has cut. */
function withoutCut(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > bytes.length - longestCharacter && isWithinCharacter(bytes[end - 1])) end -= 1;
  return (bytes[end - 1] ?? 0) < 0xc0 ? bytes : bytes.subarray(0, end - 1);
}

function withoutCutStart(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < longestCharacter - 1 && isWithinCharacter(bytes[start])) start += 1;
  return bytes.subarray(start);
}

/** A byte of a character in UTF-8, behind its first (RFC 3629). */
function isWithinCharacter(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
