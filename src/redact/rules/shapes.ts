/** Secrets that are known by their shape: JSON web tokens, addresses with a password, bot tokens, telephones. */
import { alphanumeric, byteClass, dotted, has, latin1, runStart, word, without } from '../bytes.ts';
import { redactedStart } from '../tally.ts';
import { boundedRun, eatClass, type Eat, goesOn, type Rule } from './rule.ts';
import { isOfText } from './texts.ts';

const shortestPart = 10;

/** RFC 7519: parts in base64url, the first of which begins as JSON does. A header longer than the look-ahead does not count. */
export const webToken: Rule = (text, at) => {
  if (goesOn(text, at, word)) return null;
  const header = boundedRun(text, at, word);
  if (header.open) return { openFrom: at };
  if (header.end - at < shortestPart || text.buffer[header.end] !== 0x2e) return null;
  const payload = boundedRun(text, header.end + 1, word);
  if (payload.open) return { openFrom: at };
  return payload.end - header.end > shortestPart ? { kind: 'jwt', from: at, eat: eatClass(dotted) } : null;
};

const userinfo = without(' \t\r\n"\'`<>/?#\\|');

/** RFC 3986, 3.2.1: `scheme://user:password@host`; also a long token alone before the `@`. */
export const addressPassword: Rule = (text, at, end) => {
  const run = boundedRun(text, end, userinfo);
  if (run.open) return { openFrom: end };
  const sign = lastAt(text.buffer, end, run.end);
  if (sign < 0) return null;
  const user = latin1(text.buffer, end, sign);
  const colon = user.indexOf(':');
  const password = user.slice(colon + 1);
  if (colon < 0 && !isTokenAlone(user)) return null;
  const isBefore = colon > 0 && /^(?:x-oauth-basic)?$/.test(password) && isTokenAlone(user.slice(0, colon));
  if ((!isBefore && /^(?:\$|\{|\*+$|%\w+%|$)/.test(password)) || user.includes(redactedStart)) return null;
  if (!isOfText(text, at, { from: end, end: sign })) return null;
  const from = isBefore ? end : end + colon + 1;
  return { kind: 'password', from, eat: eatUntil(sign, text.buffer) };
};

/** Names of users are short, or words. */
function isTokenAlone(user: string): boolean {
  return (user.length >= 12 && /\d/.test(user)) || (user.length >= 20 && !/^[a-z.%_-]+$/.test(user));
}

function lastAt(buffer: Buffer, from: number, end: number): number {
  for (let index = end - 1; index >= from; index -= 1) if (buffer[index] === 0x40) return index;
  return -1;
}

/** Up to a place that is in the buffer already. */
export function eatUntil(end: number, within: Buffer): Eat {
  return (buffer, at) => (buffer === within ? Math.max(at, end) : at);
}

/** `//user:password@host`, which is left of an address whose scheme is taken elsewhere. */
export const schemelessPassword: Rule = (text, at, end) => {
  const { buffer } = text;
  const run = boundedRun(text, end, userinfo);
  if (run.open) return { openFrom: end };
  const sign = lastAt(buffer, end, run.end);
  if (sign < 0) return null;
  const [, , password = ''] = /^([\w.%+-]+):([^:]{6,})$/.exec(latin1(buffer, end, sign)) ?? [];
  const host = latin1(buffer, sign + 1, run.end);
  const isHost = buffer[run.end] === 0x2f || /^[\w-]+(?:\.[\w-]+)+(?::\d{1,5})?$|:\d{2,5}$/.test(host);
  if (!/[\d]|[^\w.]/.test(password) || !isHost || /^(?:\$|\{|%\w+%$)/.test(password)) return null;
  if (password.includes(redactedStart) || !isOfText(text, at, { from: end, end: sign })) return null;
  return { kind: 'password', from: sign - password.length, eat: eatUntil(sign, buffer) };
};

export const beforeAddress = byteClass(' \t\r\n"\'`=(,');

/** `.pgpass`: `host:5432:database:user:password`, with a port of Postgres or its pooler, or any. */
export const pgpass: Rule = (text, at, end) => {
  const { buffer, floor } = text;
  const host = latin1(buffer, Math.max(floor, at - 64), at);
  if (!/(?:^|[\s"'])(?:[\w.-]+|\*)$/.test(host)) return null;
  const run = boundedRun(text, end, line);
  if (run.open) return { openFrom: end };
  const [before] = /^(?:[\w.-]{1,63}|\*):(?:[\w.@-]{1,63}|\*):(?=[^\s:]{3})/.exec(latin1(buffer, end, run.end)) ?? [];
  if (before === undefined) return null;
  const from = end + before.length;
  if (latin1(buffer, from, run.end).startsWith(redactedStart)) return null;
  return { kind: 'password', from, eat: eatClass(line) };
};

const line = without(' \t\r\n"\'`');

export const digit = byteClass('', [['0', '9']]);

/** Telegram's bot tokens: a number, a colon, 35 characters or so. The number is public. */
export const botToken: Rule = (text, at, end) => {
  const { buffer, floor } = text;
  const digits = at - runStart(buffer, at, digit, Math.max(floor, at - 12));
  if (digits < 8 || digits > 11) return null;
  const run = boundedRun(text, end, word);
  if (run.open) return { openFrom: end };
  const token = latin1(buffer, end, run.end);
  if (token.length < 30 || token.length > 64 || !/\d/.test(token) || !/[a-z]/.test(token) || !/[A-Z]/.test(token))
    return null;
  return { kind: 'telegram-token', from: end, eat: eatClass(word) };
};

/** Numbers of telephones as E.164 writes them. At the start of a line a plus is more often that of a diff. */
export const phoneNumber: Rule = (text, at, end) => {
  const { buffer, floor } = text;
  if (at <= floor || buffer[end] === 0x30) return null;
  const run = boundedRun(text, end, digit);
  if (run.open) return { openFrom: at };
  const length = run.end - end;
  if (length < 10 || length > 15 || has(word, buffer[run.end]) || buffer[run.end] === 0x2e) return null;
  return { kind: 'phone-number', from: at, eat: eatUntil(run.end, buffer) };
};

export const beforePhone = byteClass(' \t"\'`=:,;(<[{');

/** Tokens of issuers who put an identity and a point before them: Discord's bots, and keys of 32 hex digits. */
export const dottedToken: Rule = (text, at, end) => {
  const { buffer, floor } = text;
  const length = at - runStart(buffer, at, alphanumeric, Math.max(floor, at - 33));
  if ((length !== 17 && length < 23) || length > 32 || (at - length > floor && has(dotted, buffer[at - length - 1])))
    return null;
  const run = boundedRun(text, end, dotted);
  if (run.open) return { openFrom: end };
  const before = latin1(buffer, at - length, at);
  const token = latin1(buffer, end, run.end);
  const known =
    length === 17
      ? /^pat[A-Za-z0-9]{14}$/.test(before) && /^[0-9a-f]{64}$/.test(token)
      : /^[0-9a-f]{32}$/.test(before) && /\d/.test(before)
        ? /^(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9]{16,64}$/.test(token)
        : /^[MNO]/.test(before) && /^[\w-]{6}\.[\w-]{27,45}$/.test(token);
  return known ? { kind: 'token', from: end, eat: eatUntil(run.end, buffer) } : null;
};
