/** Values of names: environments, configuration files, JSON, headers, queries, source text. */
import { byteClass, dotted, has, latin1, runStart, without } from '../bytes.ts';
import { classify, type NameClass } from '../names.ts';
import { isSecret } from '../values.ts';
import { authorization } from './authorization.ts';
import { boundedRun, type Eat, eatClass, type Found, type Rule, type Text } from './rule.ts';

const longestName = 64;
const shortestName = 3;
const mostSpaces = 8;
const space = byteClass(' \t');
const query = byteClass('?&');
const quotes = byteClass('"\'`');
const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('');
/** What ends a value that has no quotes. */
const bare = without(`${controls} \x7f"'\`&;,)]}<>|\\`);
/** In `NAME=value` only what a shell would end it at: a password may hold the rest. */
const constantBare = without(`${controls} \x7f"'\`\\`);
const inQuotes: Readonly<Record<string, Uint8Array>> = {
  '"': without('"\r\n\\'),
  "'": without("'\r\n\\"),
  '`': without('`\r\n\\'),
};

export const assignment: Rule = (text, at) => {
  const name = nameBefore(text, at);
  if (name === null) return null;
  const isHeader = /^(?:proxy-)?authorization$/i.test(name.text);
  const nameClass = isHeader ? null : classify(name.text);
  if (!isHeader && nameClass === null) return null;
  const value = valueAfter(text, at);
  if (value === null || 'openFrom' in value) return value;
  return nameClass === null ? authorization(text, value.from) : secretValue(text, { at, name, nameClass, value });
};

interface Name {
  readonly text: string;
  readonly end: number;
  readonly quoted: boolean;
  /** `?name=`, which ends at the next `&`. */
  readonly inQuery: boolean;
}

interface Value {
  readonly from: number;
  readonly quote: string | null;
  /** The quote has a backslash before it, so the value ends at the next one. */
  readonly escaped: boolean;
}

interface Parts {
  readonly at: number;
  readonly name: Name;
  readonly nameClass: NameClass;
  readonly value: Value;
}

function nameBefore({ buffer, floor }: Text, at: number): Name | null {
  if (at > floor && buffer[at - 1] === buffer[at]) return null; // == ::
  let end = at;
  if (buffer[at] === 0x3d && end > floor && buffer[end - 1] === 0x3a) end -= 1; // :=
  end = runStart(buffer, end, space, Math.max(floor, end - 4));
  if (end > floor && buffer[end - 1] === 0x5d) end -= 1; // env['NAME'] =
  const quoted = end > floor && has(quotes, buffer[end - 1]);
  if (quoted) end -= 1;
  if (quoted && end > floor && buffer[end - 1] === 0x5c) end -= 1;
  const start = runStart(buffer, end, dotted, Math.max(floor, end - longestName));
  if (end - start < shortestName || !mayBeSecret(buffer, start, end)) return null;
  const text = latin1(buffer, start, end).replace(/^[-.]+/, '');
  return { text, end, quoted, inQuery: start > floor && has(query, buffer[start - 1]) };
}

/** Most names are none of a secret, and their bytes tell it before any text is made of them. */
function mayBeSecret(buffer: Buffer, start: number, end: number): boolean {
  for (let index = start + shortestName - 1; index < end; index += 1) {
    const three = ((buffer[index - 2] ?? 0) << 16) | ((buffer[index - 1] ?? 0) << 8) | (buffer[index] ?? 0);
    if (beginnings.has(three | 0x202020)) return true;
  }
  return false;
}

/** Three letters of every word that `classify` knows, in lower case. */
const beginnings = new Set(
  ['key', 'tok', 'sec', 'pas', 'pwd', 'cre', 'aut', 'bea'].map((start) => Buffer.from(start).readUIntBE(0, 3)),
);

/** Nothing that is skipped here is ever replaced, so none of it waits. */
function valueAfter({ buffer, final }: Text, at: number): Value | { readonly openFrom: number } | null {
  let from = at + 1;
  const first = buffer[from];
  if (first === 0x3d || first === 0x3a || (first === 0x2f && buffer[from + 1] === 0x2f)) return null; // == :: ://
  if (first === 0x3e) from += 1; // =>
  const most = from + mostSpaces;
  while (from < most && has(space, buffer[from])) from += 1;
  const escaped = buffer[from] === 0x5c ? 1 : 0;
  if (from + escaped >= buffer.length) return final ? null : { openFrom: from };
  const mark = buffer[from + escaped];
  if (has(quotes, mark))
    return { from: from + escaped + 1, quote: String.fromCharCode(mark ?? 0), escaped: escaped === 1 };
  return { from, quote: null, escaped: false };
}

function secretValue(text: Text, { at, name, nameClass, value }: Parts): Found | null {
  const { buffer } = text;
  const tight = buffer[at] === 0x3d && value.from === at + 1 && name.end === at;
  const constant = tight && !name.quoted && !name.inQuery && /^[A-Z][A-Z0-9_]*$/.test(name.text);
  const table = value.quote === null ? (constant ? constantBare : bare) : (inQuotes[value.quote] ?? bare);
  const run = boundedRun(text, value.from, table);
  if (run.open) return { openFrom: value.from };
  const shape = { name: nameClass, quoted: value.quote !== null, constant, tight, strict: text.strict };
  if (!isSecret({ ...shape, value: latin1(buffer, value.from, run.end) })) return null;
  const kind = nameClass === 'password' ? 'password' : /token/i.test(name.text) ? 'token' : 'secret';
  return { kind, from: value.from, eat: value.quote === null || value.escaped ? eatClass(table) : eatQuoted(table) };
}

/** To the quote that ends it: a backslash takes the next byte along, but never a line end. */
function eatQuoted(table: Uint8Array): Eat {
  let escaped = false;
  return (buffer, at) => {
    for (let index = at; index < buffer.length; index += 1) {
      const byte = buffer[index];
      if (!has(table, byte) && byte !== 0x5c && (!escaped || byte === 0x0a || byte === 0x0d)) return index;
      escaped = byte === 0x5c && !escaped;
    }
    return buffer.length;
  };
}
