/** Pieces of shell quoting. */
import { hole, homeMark } from './types.ts';

/** Index of what closes at `closer` (`)`, `}`, a backtick or a double quote), starting inside of it; -1 when it stays open. */
export function closeOf(text: string, from: number, closer: string): number {
  const open = [closer];
  for (let at = from; at < text.length; at += 1) {
    const top = open.at(-1);
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === top) {
      open.pop();
      if (open.length === 0) return at;
    } else if (char === '$' && (text[at + 1] === '(' || text[at + 1] === '{')) {
      open.push(text[at + 1] === '(' ? ')' : '}');
      at += 1;
    } else if (char === '`') open.push('`');
    else if (top !== '"' && char === '"') open.push('"');
    else if (top !== '"' && char === '(') open.push(')');
    else if (top !== '"' && char === "'") {
      at = text.indexOf("'", at + 1);
      if (at < 0) return -1;
    }
  }
  return -1;
}

/** Index of the last unit of what is quoted or substituted from `at` on: `at` where nothing is, the end where it stays open. */
export function endOfQuoted(text: string, at: number): number {
  const char = text[at] ?? '';
  if (char === '\\') return at + 1;
  let close = at;
  if (char === "'") close = text[at - 1] === '$' ? endOfAnsi(text, at + 1) : text.indexOf("'", at + 1);
  else if (char === '"' || char === '`') close = closeOf(text, at + 1, char);
  else if (char === '$' && text[at + 1] === '(') close = closeOf(text, at + 2, ')');
  else if (char === '$' && text[at + 1] === '{') close = closeOf(text, at + 2, '}');
  return close < 0 ? text.length : close;
}

function endOfAnsi(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== "'") at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** The commands of `$(...)` and backticks in text where nothing else is special, such as a here-document. */
export function substitutionsIn(text: string): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const backtick = text[at] === '`';
    if (text[at] === '\\') {
      at += 1;
      continue;
    }
    if (!backtick && !(text[at] === '$' && text[at + 1] === '(')) continue;
    const from = at + (backtick ? 1 : 2);
    const close = closeOf(text, from, backtick ? '`' : ')');
    const inside = text.slice(from, close < 0 ? text.length : close);
    found.push(backtick ? unescaped(inside) : inside);
    at = close < 0 ? text.length : close;
  }
  return found;
}

/** What stands between backticks, as the shell that runs it reads it. */
export function unescaped(text: string, quoted = false): string {
  return text.replace(quoted ? /\\([$`\\"])/g : /\\([$`\\])/g, '$1');
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};
const escapePattern = /\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|0?[0-7]{1,3}|c.|.)/gsu;

/** The inside of `$'...'`, and of `echo -e` and `printf %b`, which are near enough. */
export function decodeEscapes(text: string): string {
  return text.replace(escapePattern, (whole, body: string) => {
    const kind = body[0] ?? '';
    if (/[0-7]/.test(kind)) return String.fromCharCode(Number.parseInt(body, 8) & 0xff);
    if ('xuU'.includes(kind) && body.length > 1) return codePoint(Number.parseInt(body.slice(1), 16));
    if (kind === 'c' && body.length > 1) return String.fromCharCode(body.charCodeAt(1) & 0x1f);
    return simpleEscapes[body] ?? whole;
  });
}

function codePoint(value: number): string {
  return value <= 0x10ffff ? String.fromCodePoint(value) : '';
}

/** Resolved text, so that a shell would read the same in it again. */
export function writable(text: string): string {
  return text.replaceAll(hole, '${__}').replaceAll(homeMark, '${HOME}');
}
