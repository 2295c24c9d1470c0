/** Finds where a value begins behind its separator, and how it ends. */
import { byteClass, has, latin1, without } from '../bytes.ts';
import type { Eat, Text } from './rule.ts';

const maxSpaces = 64;
const maxBackslashes = 8;
const space = byteClass(' \t');
const quotes = byteClass('"\'`');
/** `b'...'`, `r"..."`, `@"..."`, `$'...'`, `["..."]`. */
const prefixes = byteClass('bBrRuU@$[(');
const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('');
/** What ends a value that has no quotes. */
export const bare = without(`${controls} \x7f"'\`&;,)]}<>|\\`);
/** In `NAME=value` only what a shell would end it at: a password may hold the rest. */
export const constantBare = without(`${controls} \x7f"'\`\\`);
const inQuotes: Readonly<Record<string, Uint8Array>> = {
  '"': without('"\r\n\\'),
  "'": without("'\r\n\\"),
  '`': without('`\r\n\\'),
};

export interface Value {
  readonly from: number;
  readonly quote: string | null;
  /** The quote has a backslash before it, so the value ends at the next one. */
  readonly escaped: boolean;
}

/** Nothing that is skipped here is ever replaced, so none of it waits. */
export function valueAfter({ buffer, final }: Text, end: number): Value | { readonly openFrom: number } | null {
  const first = buffer[end];
  if (first !== undefined && bare[first] === 1 && prefixes[first] === 0)
    return { from: end, quote: null, escaped: false };
  let from = end;
  const max = from + maxSpaces;
  while (from < max && has(space, buffer[from])) from += 1;
  const skipped = wrapAt({ buffer, final }, from);
  if (skipped === null) return { openFrom: from };
  from += skipped;
  const mark = quoteAt(buffer, from);
  if (mark.open) return final ? null : { openFrom: from };
  return mark.quote === null ? { from, quote: null, escaped: false } : { from: mark.end, ...mark };
}

/** A quote of HTML, or the line before a block of YAML. */
const wrap = /^(?:&(?:quot|apos|#3[49]|#x2[27]);|[|>][-+]?\r?\n {1,32})/;
const wraps = byteClass('&|>');
const longestWrap = 36;

/** How long it is. `null`: the buffer ends too early to tell. */
function wrapAt({ buffer, final }: Pick<Text, 'buffer' | 'final'>, from: number): number | null {
  if (!has(wraps, buffer[from])) return 0;
  const ahead = latin1(buffer, from, Math.min(buffer.length, from + longestWrap));
  const length = wrap.exec(ahead)?.[0].length ?? 0;
  const isOpen = length === ahead.length || (length === 0 && /^(?:&[#\w]{0,4}|[|>][-+]?\r?\n? *)$/.test(ahead));
  return isOpen && !final && ahead.length < longestWrap ? null : length;
}

interface Mark {
  readonly open: boolean;
  readonly quote: string | null;
  readonly escaped: boolean;
  readonly end: number;
}

/** A quote, with a prefix or backslashes before it, or three of them. `open`: the buffer ends too early to tell. */
function quoteAt(buffer: Buffer, from: number): Mark {
  let at = from;
  if (has(prefixes, buffer[at])) at += 1;
  while (at - from < maxBackslashes && buffer[at] === 0x5c) at += 1;
  const none = { open: at >= buffer.length, quote: null, escaped: false, end: from };
  const byte = buffer[at];
  if (byte === undefined || !has(quotes, byte)) return none;
  const quote = String.fromCharCode(byte);
  const escaped = buffer[at - 1] === 0x5c && at > from;
  if (buffer[at + 1] !== byte) return { open: at + 1 >= buffer.length, quote, escaped, end: at + 1 };
  return buffer[at + 2] === byte
    ? { open: false, quote, escaped, end: at + 3 }
    : { open: at + 2 >= buffer.length, quote, escaped, end: at + 1 };
}

export function bytesOf({ quote }: Value, constant: boolean): Uint8Array {
  return quote === null ? (constant ? constantBare : bare) : (inQuotes[quote] ?? bare);
}

/** To the quote that ends it: a backslash takes the next byte along, but never a line end. */
export function eatQuoted(table: Uint8Array): Eat {
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
