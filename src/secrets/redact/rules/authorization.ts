/** `Authorization: SCHEME CREDENTIALS` (RFC 9110, 11.6.2), wherever it stands: the scheme stays. */
import { bearer, byteClass, latin1, without } from '../bytes.ts';
import { redactedStart } from '../tally.ts';
import { boundedRun, eatClass, type Found, precededBy, type Rule, type Text } from './rule.ts';

const line = without('\r\n"\'`\\');
const scheme = /^(?:bearer|basic|token|digest|negotiate|ntlm|apikey|api-key|bot|hmac|aws4-[a-z0-9-]+|hawk)(?:\s|%20)+/i;
const unknown = /^(?:\$|<|\{|%\w+%|[a-z]+$|\w+\(|undefined|null|none)/;

export function authorization(text: Text, from: number): Found | null {
  const run = boundedRun(text, from, line);
  if (run.open) return { openFrom: from };
  const value = latin1(text.buffer, from, run.end);
  const [skipped = ''] = scheme.exec(value) ?? [];
  const credentials = value.slice(skipped.length);
  if (credentials === '' || credentials.startsWith(redactedStart) || unknown.test(credentials)) return null;
  return { kind: 'authorization', from: from + skipped.length, eat: eatClass(line) };
}

const letter = byteClass('_', [
  ['a', 'z'],
  ['A', 'Z'],
]);

/** `Bearer TOKEN` in running text; "bearer of news" and "Bearer authentication" are none. */
export const bearerToken: Rule = (text, at, end) => {
  if (precededBy(text, at, letter)) return null;
  const run = boundedRun(text, end, bearer);
  if (run.open) return { openFrom: end };
  const token = latin1(text.buffer, end, run.end);
  if (token.length < 8 || !/\d|[A-Z].*[A-Z]/.test(token)) return null;
  return { kind: 'bearer', from: end, eat: eatClass(bearer) };
};
