/** Secrets that are known by their shape: JSON web tokens, private keys, addresses with a password, bot tokens. */
import { byteClass, dotted, has, latin1, runStart, word, without } from '../bytes.ts';
import { redactedStart } from '../tally.ts';
import { boundedRun, eatClass, type Eat, lookAhead, precededBy, type Rule } from './rule.ts';

const shortestPart = 10;

/** RFC 7519: parts in base64url, the first of which begins as JSON does. A header longer than the look-ahead is none. */
export const webToken: Rule = (text, at) => {
  if (precededBy(text, at, word)) return null;
  const header = boundedRun(text, at, word);
  if (header.open) return { openFrom: at };
  if (header.end - at < shortestPart || text.buffer[header.end] !== 0x2e) return null;
  const payload = boundedRun(text, header.end + 1, word);
  if (payload.open) return { openFrom: at };
  return payload.end - header.end > shortestPart ? { kind: 'jwt', from: at, eat: eatClass(dotted) } : null;
};

const begin = '-----BEGIN ';
const longestBegin = 48;

/** RFC 7468, and its older and PGP relatives. What has no end is a secret too. */
export const privateKey: Rule = ({ buffer, floor, final }, at, end) => {
  const before = latin1(buffer, Math.max(floor, at - longestBegin), at);
  if (!before.includes(begin)) return null;
  if (end >= buffer.length) return final ? null : { openFrom: end };
  if (!has(keyBody, buffer[end])) return null;
  return { kind: 'private-key', from: end, eat: eatKey() };
};

const keyBody = byteClass('+/=\r\n\\,:-\t', [
  ['a', 'z'],
  ['A', 'Z'],
  ['0', '9'],
]);
const dash = 0x2d;

/** Base64 and header lines, until the dashes that close the end line. A space is part of a header or an indentation. */
function eatKey(): Eat {
  let dashes = 0;
  let borders = 0;
  let previous = 0x0a;
  return (buffer, at) => {
    if (borders === 2) return at;
    for (let index = at; index < buffer.length; index += 1) {
      const byte = buffer[index] ?? 0;
      dashes = byte === dash ? dashes + 1 : 0;
      if (dashes === 5) borders += 1;
      if (dashes === 5 && borders === 2) return index + 1;
      const isSpace = byte === 0x20 && (borders === 1 || isSpaceAfter(previous));
      if (!isSpace && !has(keyBody, byte)) return index;
      previous = byte;
    }
    return buffer.length;
  };
}

function isSpaceAfter(byte: number): boolean {
  return byte === 0x0a || byte === 0x3a || byte === 0x20;
}

const userinfo = without(' \t\r\n"\'`<>/?#\\|');

/** RFC 3986, 3.2.1: `scheme://user:password@host`; also a long token alone before the `@`. */
export const addressPassword: Rule = (text, _at, end) => {
  const run = boundedRun(text, end, userinfo);
  if (run.open) return { openFrom: end };
  const sign = lastAt(text.buffer, end, run.end);
  if (sign < 0) return null;
  const user = latin1(text.buffer, end, sign);
  const colon = user.indexOf(':');
  const password = user.slice(colon + 1);
  if (colon < 0 && (user.length < 16 || !/\d/.test(user))) return null;
  if (/^(?:\$|\{|\*+$|%\w+%|$)/.test(password) || user.includes(redactedStart)) return null;
  const from = end + colon + 1;
  return { kind: 'password', from, eat: eatUntil(sign, text.buffer) };
};

function lastAt(buffer: Buffer, from: number, end: number): number {
  for (let index = end - 1; index >= from; index -= 1) if (buffer[index] === 0x40) return index;
  return -1;
}

/** Up to a place that is in the buffer already. */
function eatUntil(end: number, within: Buffer): Eat {
  return (buffer, at) => (buffer === within ? Math.max(at, end) : at);
}

const digit = byteClass('', [['0', '9']]);

/** Telegram's bot tokens: a number, a colon, 35 characters that begin with AA. The number is no secret. */
export const botToken: Rule = (text, at) => {
  const { buffer, floor } = text;
  const digits = at - runStart(buffer, at, digit, Math.max(floor, at - 12));
  if (digits < 8 || digits > 10) return null;
  const run = boundedRun(text, at + 1, word);
  if (run.open) return { openFrom: at + 1 };
  const length = run.end - at - 1;
  return length >= 33 && length < lookAhead ? { kind: 'telegram-token', from: at + 1, eat: eatClass(word) } : null;
};
