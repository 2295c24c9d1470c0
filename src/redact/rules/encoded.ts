/** `password%3Dvalue` and `%22password%22%3A%22value%22`: assignments inside of addresses. */
import { latin1 } from '../bytes.ts';
import { isSecret } from '../values.ts';
import { classOf } from './assignment.ts';
import { nameBefore } from './name.ts';
import { boundedRun, eatClass, type Rule } from './rule.ts';
import { eatUntil } from './shapes.ts';
import { isOfText } from './texts.ts';
import { bare } from './value.ts';

const before = /^(?:%2[027]|%5C|\+)+/i;
const behind = /%(?:2[0267]|0[AD]|3B|5C|7D)/i;

export const encodedAssignment: Rule = (text, at, end) => {
  const name = nameBefore(text, at);
  const nameClass = name === null ? null : classOf(name.text, name);
  if (name === null || nameClass === null) return null;
  const run = boundedRun(text, end, bare);
  if (run.open) return { openFrom: end };
  const ahead = latin1(text.buffer, end, run.end);
  const from = end + (before.exec(ahead)?.[0].length ?? 0);
  const rest = ahead.slice(from - end);
  const length = behind.exec(rest)?.index ?? rest.length;
  const shape = { name: nameClass, quoted: from > end, constant: false, tight: true, strict: text.strict };
  if (!isSecret({ ...shape, value: rest.slice(0, length) }) || !isOfText(text, at, { from, end: from + length }))
    return null;
  const kind = nameClass === 'password' ? 'password' : /token/i.test(name.text) ? 'token' : 'secret';
  const isWhole = length < rest.length || run.end - end < ahead.length;
  return { kind, from, eat: isWhole ? eatUntil(from + length, text.buffer) : eatClass(bare) };
};
