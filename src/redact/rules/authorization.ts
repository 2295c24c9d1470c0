/** `Authorization: SCHEME CREDENTIALS` (RFC 9110, 11.6.2), wherever it stands: the scheme stays. */
import { bearer, byteClass, latin1, without } from '../bytes.ts';
import { redactedStart } from '../tally.ts';
import { boundedRun, eatClass, type RuleMatch, goesOn, type Rule, type Text } from './rule.ts';
import { isOfText } from './texts.ts';

const line = without('\r\n"\'`\\');
const scheme = /^(?:[a-z][a-z-]{1,15}|aws4-[a-z0-9-]+)(?:\s|%20)+(?=\S)/i;
const unknown = /^(?:\$|<|\{|%\w+%|[a-z]{1,12}$|\w+\(|undefined|null|none|(?:your|YOUR)[ _-])/;

export function authorization(text: Text, at: number, from: number): RuleMatch | null {
  const run = boundedRun(text, from, line);
  if (run.open) return { openFrom: from };
  const value = latin1(text.buffer, from, run.end);
  const [skipped = ''] = scheme.exec(value) ?? [];
  const credentials = value.slice(skipped.length);
  if (credentials === '' || credentials.startsWith(redactedStart) || unknown.test(credentials)) return null;
  if (!isOfText(text, at, { from, end: run.end })) return null;
  return { kind: 'authorization', from: from + skipped.length, eat: eatClass(line) };
}

const pairs = without('\r\n"\'`\\');
const firstPair = without('\r\n"\'`\\; ');

interface CookiePlace {
  /** The separator. */
  readonly at: number;
  readonly from: number;
  readonly header: string;
}

/** `Cookie: NAME=VALUE; ...` (RFC 6265): all of it says who somebody is. `Set-Cookie` has one value, and says how long. */
export function cookie(text: Text, { at, from, header }: CookiePlace): RuleMatch | null {
  const run = boundedRun(text, from, pairs);
  if (run.open) return { openFrom: from };
  const value = latin1(text.buffer, from, run.end);
  const [start] = /^[\w.~-]{1,64}=(?=[^;\s])/.exec(value) ?? [];
  if (start === undefined || value.slice(start.length).startsWith(redactedStart)) return null;
  if (!isOfText(text, at, { from, end: run.end })) return null;
  return { kind: 'cookie', from: from + start.length, eat: eatClass(/^set/i.test(header) ? firstPair : pairs) };
}

const letter = byteClass('_', [
  ['a', 'z'],
  ['A', 'Z'],
]);

/** `Bearer TOKEN` in running text; "bearer of news" and "Bearer authentication" hold no token. */
export const bearerToken: Rule = (text, at, end) => {
  if (goesOn(text, at, letter)) return null;
  const run = boundedRun(text, end, bearer);
  if (run.open) return { openFrom: end };
  const token = latin1(text.buffer, end, run.end);
  if (token.length < 8 || !/\d|[A-Z].*[A-Z]|^[a-z]{20}/.test(token) || /^your[_-]/i.test(token)) return null;
  return { kind: 'bearer', from: end, eat: eatClass(bearer) };
};
