/** Values of names: environments, configuration files, JSON, headers, queries, source text. */
import { byteClass, has, latin1 } from '../bytes.ts';
import { NextByte } from '../next.ts';
import { classify, type NameClass } from '../names.ts';
import { isSecret } from '../values.ts';
import { authorization, cookie } from './authorization.ts';
import { type Name, nameBefore } from './name.ts';
import { boundedRun, eatClass, type RuleMatch, type Rule, type Text } from './rule.ts';
import { isOfText } from './texts.ts';
import { bytesOf, eatQuoted, type Value, valueAfter } from './value.ts';

const equals = 0x3d;
const colon = 0x3a;

export const assignment: Rule = (text, at, end) => {
  const { buffer, floor } = text;
  if (at > floor && buffer[at - 1] === buffer[at]) return null; // == ::
  const name = nameBefore(text, at);
  if (name === null) return null;
  const next = buffer[end];
  if (next === equals || next === colon || (next === 0x2f && buffer[end + 1] === 0x2f)) return null; // == := ://
  return assigned(text, { at, name, from: next === 0x3e ? end + 1 : end }); // =>
};

export interface AssignmentStart {
  /** The separator. */
  readonly at: number;
  readonly name: Name;
  /** Behind the separator. */
  readonly from: number;
}

const shortestHeader = 'authorization'.length;
const shortestCookie = 'cookie'.length;

/** Whatever stands between a name and its value. */
export function assigned(text: Text, { at, name, from }: AssignmentStart): RuleMatch | null {
  const own = ownName(text, name);
  const isHeader = own.length >= shortestHeader && /^(?:proxy-)?authorization$/i.test(own);
  const isCookie = own.length >= shortestCookie && /^(?:set-)?cookie$/i.test(own);
  const nameClass = isHeader || isCookie ? null : classOf(own, name);
  if (!isHeader && !isCookie && nameClass === null) return null;
  const value = valueAfter(text, from);
  if (value === null || 'openFrom' in value) return value;
  if (isHeader) return authorization(text, at, value.from);
  if (isCookie) return cookie(text, { at, from: value.from, header: own });
  if (nameClass === null || closesString(text, name, value) || isList(text, name, value)) return null;
  return secretValue(text, { at, name: { ...name, text: own }, nameClass, value });
}

export function classOf(own: string, name: Name): NameClass | null {
  return classify(own) ?? (name.inQuery && /^(?:x-(?:amz|goog)-)?sig(?:nature)?$/i.test(own) ? 'weak' : null);
}

const farthestName = 96;
const named =
  /(?:^|[\s{,<;"'[(-])(?:name|key)["'\\]{0,3}\s{0,8}[:=]\s{0,8}["'\\]{0,3}([\w.-]{2,64})["'\\]{0,3}[\s,;]{1,32}["'\\]{0,3}$/i;

/** `name: DB_PASSWORD` and then `value: ...`: lists of variables, and attributes of XML. */
function ownName({ buffer, floor }: Text, { text, start }: Name): string {
  if (text.length !== 5 || !/^value$/i.test(text)) return text;
  return named.exec(latin1(buffer, Math.max(floor, start - farthestName), start))?.[1] ?? text;
}

/** `"Password: "` is a text: what looks like the start of a value is its end. */
function closesString({ buffer, floor }: Text, { start, quoted }: Name, { quote, escaped }: Value): boolean {
  if (quote === null || quoted || escaped) return false;
  const before = latin1(buffer, Math.max(floor, start - farthestName), start);
  if (before.endsWith(quote)) return true;
  const line = before.lastIndexOf('\n');
  return quote === '"' && line >= 0 && (before.slice(line).split(/(?<!\\)"/).length - 1) % 2 === 1;
}

/** In source text, where in JSON it would be the only element. */
function isList({ buffer }: Text, { quoted }: Name, { from, quote }: Value): boolean {
  return quote !== null && !quoted && has(brackets, buffer[from - 2]);
}

interface AssignmentText {
  readonly at: number;
  readonly name: Name;
  readonly nameClass: NameClass;
  readonly value: Value;
}

/** What a shell runs, and templates. */
function isCode(found: string, { at, value }: Pick<AssignmentText, 'at' | 'value'>): boolean {
  return value.quote === '`' && (found.includes('${') || (value.from === at + 2 && found.includes(' ')));
}

const digits = new NextByte(byteClass('', [['0', '9']]));
const equalSigns = new NextByte(byteClass('='));
/** `user:password` in base64 has as many characters at least, and at most two equals signs, which end it. */
const shortestRandom = 8;

/** What `isSecret` asks of a value behind a weak name, as far as its bytes tell: most of these values are no secrets. */
function mayBeRandom(buffer: Buffer, from: number, end: number): boolean {
  if (end - from < shortestRandom) return false;
  return digits.isWithin(buffer, from, end) || !equalSigns.isWithin(buffer, from, end - 2);
}

const separators = byteClass('=');
const brackets = byteClass('[(');

function secretValue(text: Text, { at, name, nameClass, value }: AssignmentText): RuleMatch | null {
  const { buffer } = text;
  const tight = separators[buffer[at] ?? 0] === 1 && value.from === at + 1 && name.end === at;
  const constant = tight && !name.quoted && !name.inQuery && /^[A-Z][A-Z0-9_]*$/.test(name.text);
  const table = bytesOf(value, constant);
  const run = boundedRun(text, value.from, table);
  if (run.open) return { openFrom: value.from };
  if (nameClass === 'weak' && !text.strict && !mayBeRandom(buffer, value.from, run.end)) return null;
  const found = latin1(buffer, value.from, run.end);
  if (found === name.text || isCode(found, { at, value })) return null;
  const shape = { name: nameClass, quoted: value.quote !== null, constant, tight, strict: text.strict };
  if (!isSecret({ ...shape, value: found }) || !isOfText(text, at, { from: value.from, end: run.end })) return null;
  const kind =
    nameClass === 'password' || nameClass === 'brief' ? 'password' : /token/i.test(name.text) ? 'token' : 'secret';
  return { kind, from: value.from, eat: value.quote === null || value.escaped ? eatClass(table) : eatQuoted(table) };
}
