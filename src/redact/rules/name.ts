/** The name before a separator, whatever its language wraps it in: quotes, brackets, a type. */
import { byteClass, dotted, has, latin1, runStart } from '../bytes.ts';
import type { Text } from './rule.ts';

const longestName = 64;
const maxSpaces = 32;
const longestType = 24;
const space = byteClass(' \t');
const quotes = byteClass('"\'`');
const operators = byteClass(':?+');
/** Quotes of more bytes than one, by the last of them. */
const longQuote = /(?:\xe2\x80[\x98\x99\x9c\x9d]|&(?:quot|apos|#34|#39|#x22|#x27);|%22|%27|%5D|\\u002[27])$/i;
const longestQuote = 6;

export interface Name {
  readonly text: string;
  readonly start: number;
  /** Behind its last byte, without what it is wrapped in. */
  readonly end: number;
  readonly quoted: boolean;
  /** `?name=`, which ends at the next `&`. */
  readonly inQuery: boolean;
}

/** Reads the name before the separator at `at`. `null`: nothing names it, or its bytes show that it does not name a secret. */
export function nameBefore(text: Text, at: number): Name | null {
  const { buffer, floor } = text;
  let end = at;
  if (buffer[at] === 0x3d && end > floor && has(operators, buffer[end - 1])) end -= 1; // := ?= +=
  const name = nameEndingAt(text, runStart(buffer, end, space, Math.max(floor, end - maxSpaces)));
  return name ?? (buffer[at] === 0x3d ? typedName(text, end) : null);
}

/** `password: str =`, `const PASSWORD: &str =`. */
function typedName(text: Text, end: number): Name | null {
  const { buffer } = text;
  if (buffer[end - 1] !== 0x20) return null;
  const from = Math.max(text.floor, end - longestType);
  for (let index = end - 2; index >= from; index -= 1) {
    if (buffer[index] === 0x3a) return nameEndingAt(text, index);
    if (buffer[index] === 0x0a) return null;
  }
  return null;
}

export function nameEndingAt({ buffer, floor }: Text, at: number): Name | null {
  let end = at;
  if (end > floor && buffer[end - 1] === 0x5d) end -= 1; // env['NAME'] =
  const wrap = quoteBefore(buffer, end, floor);
  end -= wrap;
  const start = runStart(buffer, end, dotted, Math.max(floor, end - longestName));
  if (!mayBeSecret(buffer, start, end)) return null;
  const text = latin1(buffer, start, end);
  const quoted = wrap > 0;
  const plain = {
    text: has(leading, buffer[start]) ? text.replace(/^[-.]+/, '') : text,
    start,
    end,
    quoted,
    inQuery: false,
  };
  return start > floor && has(beforeParameter, buffer[start - 1]) ? parameter(plain, buffer, floor) : plain;
}

const leading = byteClass('-.');
const beforeParameter = byteClass('?&#;\\%');

/** `?key=`, `&amp;key=`, `\u0026key=` and `%26key=`. */
function parameter(name: Name, buffer: Buffer, floor: number): Name {
  const before = latin1(buffer, Math.max(floor, name.start - 5), name.start);
  const code = before.endsWith('\\') ? /^u0026/ : before.endsWith('%') ? /^(?:26|3F|23)/i : null;
  const wrapped = before.endsWith('%') ? /^[\dA-F]{2}/i : /^u00[\dA-F]{2}/i;
  const inQuery = code === null ? /(?:[?&#]|&amp;)$/.test(before) : code.test(name.text);
  return { ...name, inQuery, text: code === null ? name.text : name.text.replace(wrapped, '') };
}

/** How long the quote is that ends before `end`, with the backslashes before it. */
function quoteBefore(buffer: Buffer, end: number, floor: number): number {
  if (end <= floor) return 0;
  if (has(quotes, buffer[end - 1])) {
    let start = end - 1;
    while (start > floor && end - start < longestQuote && buffer[start - 1] === 0x5c) start -= 1;
    return end - start;
  }
  if (!mayEndLongQuote(buffer, end)) return 0;
  const [quote] = longQuote.exec(latin1(buffer, Math.max(floor, end - longestQuote), end)) ?? [''];
  return quote.length;
}

/** Digits stand before every separator of a time, and no text should be made of them. */
function mayEndLongQuote(buffer: Buffer, end: number): boolean {
  const last = buffer[end - 1] ?? 0;
  if (last >= 0x80) return buffer[end - 3] === 0xe2;
  if (last === 0x3b) return buffer[end - 5] === ampersand || buffer[end - 6] === ampersand;
  return has(hexEnds, last) && (buffer[end - 3] === 0x25 || buffer[end - 6] === 0x5c);
}

const ampersand = 0x26;
const hexEnds = byteClass('27dD');

/** Most names do not name a secret, and their bytes show it before any text is made of them. */
function mayBeSecret(buffer: Buffer, start: number, end: number): boolean {
  if (end - start === 2) return (buffer.readUInt16BE(start) | 0x2020) === pw;
  let three = (buffer[start] ?? 0) << 8;
  three |= buffer[start + 1] ?? 0;
  for (let index = start + 2; index < end; index += 1) {
    three = ((three << 8) | (buffer[index] ?? 0)) & 0xffffff;
    const lower = three | 0x202020;
    if (beginningHashes[hashOf(lower)] === 1 && beginnings.has(lower)) return true;
  }
  return false;
}

const hashOf = (three: number): number => (three ^ (three >>> 9)) & 0xfff;

const pw = Buffer.from('pw').readUInt16BE();
/** Three letters of every word that counts, in lower case. */
const beginnings = new Set(
  ['key', 'tok', 'sec', 'pas', 'pwd', '_pw', '-pw', '.pw', 'cre', 'aut', 'bea', 'jwt', 'sig', 'coo', 'val', 'psk'].map(
    (start) => Buffer.from(start).readUIntBE(0, 3) | 0x202020,
  ),
);
/** 1 where one of them may stand: a look into a set for each byte of all names would be most of what names cost. */
const beginningHashes = new Uint8Array(2 ** 12);
for (const three of beginnings) beginningHashes[hashOf(three)] = 1;
