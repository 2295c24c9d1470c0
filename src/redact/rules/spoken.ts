/** Values that stand beside the name of a secret without a sign between them: options, XML, lists, some files. */
import { alphanumeric, byteClass, dotted, has, latin1, runEnd, without } from '../bytes.ts';
import { classify } from '../names.ts';
import { NextWord } from '../next.ts';
import { isSecret } from '../values.ts';
import { authorization } from './authorization.ts';
import { nameEndingAt } from './name.ts';
import { boundedRun, eatClass, type RuleMatch, type Rule, type Text } from './rule.ts';
import { isOfText } from './texts.ts';
import { bytesOf, eatQuoted, type Value, valueAfter } from './value.ts';

/** Prose has words in this place, and commands have secrets. */
const unlikeWords = /\d|[^\w.-]|[a-z][A-Z]/;
const space = 0x20;
const farthestCommand = 128;
const dashes = byteClass('-');
export const beforeOption = byteClass(' \t\n"\'`(');

/** `--password x`, `-password x`, and the short options of the programs that take passwords so. */
export const option: Rule = (text, at, end) => {
  const { buffer, final } = text;
  const start = runEnd(buffer, end, dashes, end + 1);
  const nameEnd = runEnd(buffer, start, dotted, start + 64);
  if (nameEnd >= buffer.length) return final ? null : { openFrom: at };
  const short = shortOption(text, start, end);
  if (short !== null) return short;
  if (buffer[nameEnd] !== space || !has(alphanumeric, buffer[start])) return null;
  const nameClass = classify(latin1(buffer, start, nameEnd));
  return nameClass === null ? null : besides(text, nameEnd + 1, { isPassword: nameClass === 'password' });
};

interface ShortOption {
  readonly options: RegExp;
  /** Words of which one stands in the command. */
  readonly words: readonly NextWord[];
  readonly commands: RegExp;
  /** What of the value comes before the secret. */
  readonly before: RegExp;
}

const wordsOf = (text: string): readonly NextWord[] => text.split(' ').map((each) => new NextWord(each));

const shortOptions: readonly ShortOption[] = [
  { options: /^-p ?/, words: wordsOf('sshpass login'), commands: /\bsshpass$|\blogin\b[^\n]*$/, before: /^/ },
  {
    options: /^-p(?! )/,
    words: wordsOf('mysql mariadb'),
    commands: /\b(?:mysql|mariadb)\w*\b[^\n]*$/,
    before: /^/,
  },
  { options: /^-a ?/, words: wordsOf('redis-cli'), commands: /\bredis-cli\b[^\n]*$/, before: /^/ },
  {
    options: /^(?:-u ?|--(?:proxy-)?user[ =])/,
    words: wordsOf('curl'),
    commands: /\bcurl\b[^\n]*$/,
    before: /^[^:\s]*:/,
  },
  { options: /^(?:-b ?|--cookie[ =])/, words: wordsOf('curl'), commands: /\bcurl\b[^\n]*$/, before: /^[^=\s]*=/ },
  {
    options: /^-pass(?:in|out)? /,
    words: wordsOf('openssl'),
    commands: /\bopenssl\b[^\n]*$/,
    before: /^pass:/,
  },
];
const longestOption = 16;

function shortOption(text: Text, start: number, end: number): RuleMatch | null {
  const { buffer, floor } = text;
  if (!has(shortStarts, buffer[start])) return null;
  const from = Math.max(floor, end - farthestCommand);
  const near = shortOptions.filter(({ words }) => words.some((word) => word.isWithin(buffer, from, end - 2)));
  if (near.length === 0) return null;
  const option = latin1(buffer, end - 1, Math.min(buffer.length, end - 1 + longestOption));
  const command = latin1(buffer, from, end - 2);
  const known = near.find(({ options, commands }) => options.test(option) && commands.test(command));
  if (known === undefined) return null;
  const length = known.options.exec(option)?.[0].length ?? 0;
  return besides(text, end - 1 + length, { isPassword: true, before: known.before });
}

const shortStarts = byteClass('paubc');

/** `"password", "x"`: pairs, arguments, lists of arguments. */
export const listed: Rule = (text, _at, end) => {
  const name = nameEndingAt(text, end - 1);
  if (name === null || !name.quoted) return null;
  const isHeader = /^(?:proxy-)?authorization$/i.test(name.text);
  const nameClass = isHeader ? 'secret' : classify(name.text);
  if (nameClass === null || nameClass === 'weak') return null;
  const value = valueAfter(text, end);
  if (value === null || 'openFrom' in value) return value;
  const { buffer } = text;
  if (value.quote === null || value.quote === '`') return null;
  if (isHeader && has(alphanumeric, buffer[value.from])) return headerBesides(text, value);
  return quotedBesides(text, value);
};

/** Finds the credentials of a quoted header: a value without a digit or a space may be the name of another header. */
function headerBesides(text: Text, value: Value): RuleMatch | null {
  const run = boundedRun(text, value.from, bytesOf(value, false));
  if (run.open) return { openFrom: value.from };
  return /[\d ]/.test(latin1(text.buffer, value.from, run.end)) ? authorization(text, value.from, value.from) : null;
}

function quotedBesides(text: Text, value: Value): RuleMatch | null {
  const table = bytesOf(value, false);
  const run = boundedRun(text, value.from, table);
  if (run.open) return { openFrom: value.from };
  const found = latin1(text.buffer, value.from, run.end);
  const shape = { name: 'password' as const, quoted: true, constant: false, tight: false, strict: text.strict };
  if (found.length < 6 || !/\d|[^\w.-]/.test(found) || found.includes(' ') || !isSecret({ ...shape, value: found }))
    return null;
  if (!isOfText(text, value.from, { from: value.from, end: run.end })) return null;
  return { kind: 'password', from: value.from, eat: eatQuoted(table) };
}

const inElement = without('<>\r\n');

/** `<password>x</password>`, `<property name="password">x</property>`. */
export const element: Rule = (text, at, end) => {
  const { buffer } = text;
  const name = nameEndingAt(text, at);
  const nameClass = name === null ? null : classify(name.text);
  if (name === null || nameClass === null) return null;
  const before = latin1(buffer, Math.max(text.floor, name.start - 8), name.start);
  if (!(name.quoted ? /\b(?:name|key)=["']$/i : /<$/).test(before)) return null;
  const run = boundedRun(text, end, inElement);
  if (run.open || (!text.final && run.end === buffer.length)) return { openFrom: end };
  if (run.end - end < 256 && buffer[run.end] !== 0x3c) return null;
  const value = latin1(buffer, end, run.end);
  const shape = { name: nameClass, quoted: true, constant: false, tight: false, strict: text.strict };
  if (!isSecret({ ...shape, value }) || (name.quoted && !unlikeWords.test(value))) return null;
  if (!isOfText(text, at, { from: end, end: run.end })) return null;
  return { kind: nameClass === 'password' ? 'password' : 'secret', from: end, eat: eatClass(inElement) };
};

const files =
  /(?:\bmachine\s+\S+|(?:^|\n)\s*default)\s+login\s+\S+\s+password$|(?:^|\n)\s*(?:requirepass|masterauth|bindpw)$/;
const statements =
  /\b(?:identified by|with password|user \S+ password|encrypted password)$|#define \w*password$|(?:^|[\s([{]):[\w-]*password$/i;
const farthestWord = 96;

/** Words of files and statements that a value follows: `.netrc`, SQL, the configuration of Redis. */
export const spokenValue: Rule = (text, _at, end) => {
  const before = latin1(text.buffer, Math.max(text.floor, end - farthestWord), end - 1);
  if (files.test(before)) return besides(text, end, { isPassword: true, isSure: true });
  const isSure = /[A-Z]{2}$/.test(before);
  return statements.test(before) ? besides(text, end, { isPassword: true, isSure, mustQuote: true }) : null;
};

/** `ENV NAME value` of a Dockerfile, `setenv NAME value` and `set -x NAME value` of shells. */
export const defined: Rule = (text, at, end) => {
  const { buffer, final } = text;
  const nameEnd = runEnd(buffer, end, dotted, end + 64);
  if (nameEnd >= buffer.length) return final ? null : { openFrom: at };
  const nameClass = buffer[nameEnd] === space ? classify(latin1(buffer, end, nameEnd)) : null;
  return nameClass === null ? null : besides(text, nameEnd + 1, { isPassword: nameClass === 'password' });
};

export const beforeDefinition = byteClass(' \t\r\n;&');

interface Besides {
  readonly isPassword: boolean;
  readonly before?: RegExp;
  /** Nothing but a secret stands there. */
  readonly isSure?: boolean;
  readonly mustQuote?: boolean;
}

const argument = without(' \t\r\n"\'`;|<>');

function besides(text: Text, at: number, how: Besides): RuleMatch | null {
  const { isPassword, before = /^/, isSure = false, mustQuote = false } = how;
  const { buffer } = text;
  // A second space, or another option, stands where the value would begin.
  if (buffer[at] === space || buffer[at] === 0x2d) return null;
  const value = valueAfter(text, at);
  if (value === null || 'openFrom' in value) return value;
  const isQuoted = value.quote !== null;
  const table = isQuoted ? bytesOf(value, false) : argument;
  const run = boundedRun(text, value.from, table);
  if (run.open) return { openFrom: value.from };
  const all = latin1(buffer, value.from, run.end);
  const skipped = before.exec(all)?.[0].length;
  if (skipped === undefined || (mustQuote && !isText(value))) return null;
  const found = all.slice(skipped);
  const kind = isPassword ? ('password' as const) : ('secret' as const);
  const shape = { name: kind, quoted: isQuoted, constant: false, tight: true, strict: text.strict };
  if (!isSecret({ ...shape, value: found }) || !isOfItsKind(found, isPassword)) return null;
  if ((!isQuoted || mustQuote) && !isSure && !isUnlikeWords(found)) return null;
  if (!isOfText(text, at, { from: value.from, end: run.end })) return null;
  const eat = isQuoted && !value.escaped ? eatQuoted(table) : eatClass(table);
  return { kind, from: value.from + skipped, eat };
}

const isText = ({ quote }: Value): boolean => quote !== null && quote !== '`';

function isOfItsKind(value: string, isPassword: boolean): boolean {
  return isPassword || isKey(value);
}

/** A key has a digit and does not assign: `--secret id=x` and `--key a/path.pem` pass no key. */
function isKey(value: string): boolean {
  return /\d/.test(value) && !/^\w+=[^=]/.test(value);
}

function isUnlikeWords(value: string): boolean {
  return unlikeWords.test(value) && !/^(?:\[|\d+$|\d+:\d+$)/.test(value);
}
