/** The forms in which a declared value may be printed, as a reader sees them. Pure. */
import { seenOf } from './unseen.ts';

export interface Form {
  readonly bytes: Buffer;
  /** The value is too short to be looked for everywhere: it counts where it is a whole line. */
  readonly wholeLine: boolean;
}

/** Shorter ones are found in half of all texts. */
export const shortestEverywhere = 8;
/** A line of at least so many characters is a secret by itself when the value has several lines. */
const shortestLine = 16;
/** Longer values are looked for as they are, not encoded: what is encoded of them is wrapped into lines anyway. */
const longestEncoded = 4096;

export function formsOf(value: string): readonly Form[] {
  const trimmed = value.replace(/^[\r\n]+/, '').replace(/[\r\n]+$/, '');
  const bytes = Buffer.from(trimmed);
  const seen = seenOf(bytes);
  if (seen.length === 0) return [];
  if (seen.length < shortestEverywhere) return wholeLine(seen);
  const texts = [trimmed, ...linesOf(trimmed), ...(bytes.length > longestEncoded ? [] : encoded(trimmed, bytes))];
  return [...new Set(texts)]
    .filter((text) => text.length >= shortestEverywhere)
    .map((text) => ({ bytes: seenOf(Buffer.from(text)), wholeLine: false }))
    .filter((form) => form.bytes.length >= shortestEverywhere);
}

function wholeLine(bytes: Buffer): readonly Form[] {
  return ['\n', '\r'].map((end) => ({
    bytes: Buffer.concat([Buffer.from('\n'), bytes, Buffer.from(end)]),
    wholeLine: true,
  }));
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.length === 1 ? [] : lines.filter((line) => line.length >= shortestLine);
}

function encoded(text: string, bytes: Buffer): readonly string[] {
  const hex = bytes.toString('hex');
  const base64 = [bytes.toString('base64'), ...[0, 1, 2].map((offset) => base64Within(bytes, offset))];
  return [
    ...base64,
    ...wrapped(base64[1] ?? ''),
    bytes.toString('base64url'),
    ...base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_')),
    hex,
    hex.toUpperCase(),
    ...percentEncoded(text, bytes),
    ...escaped(text),
  ];
}

/** Breaks lines at 64 and 76 characters, which base64(1), MIME and PEM do to a text that begins with the value. */
function wrapped(base64: string): readonly string[] {
  return [64, 76]
    .filter((width) => base64.length > width)
    .flatMap((width) =>
      ['\n', '\r\n'].map((end) => base64.replaceAll(new RegExp(`.{${width}}(?=.)`, 'g'), `$&${end}`)),
    );
}

/** Forms that a text has in JSON, in HTML and between the quotes of shells and languages. */
function escaped(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const code = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return [
    json,
    json.replaceAll('/', '\\/'),
    json.replaceAll(/[<>&]/g, code),
    json.replaceAll(/[^\0-\x7f]/g, code),
    JSON.stringify(json).slice(1, -1),
    json.replaceAll('\\"', '"').replaceAll("'", "\\'"),
    json.replaceAll('\\"', '"'),
    html(text, '&#39;'),
    html(text, '&#x27;'),
    html(text, "'"),
    text.replaceAll("'", "'\\''"),
    text.replaceAll("'", `'"'"'`),
    text.replaceAll(/[\\"$`]/g, '\\$&'),
  ];
}

function html(text: string, apostrophe: string): string {
  const pairs = [
    ['&', '&amp;'],
    ['<', '&lt;'],
    ['>', '&gt;'],
    ['"', '&quot;'],
    ["'", apostrophe],
  ] as const;
  return pairs.reduce((all, [character, code]) => all.replaceAll(character, code), text);
}

/** What is the same in every base64 text that has the value at this offset (modulo 3), whatever stands around it. */
function base64Within(bytes: Buffer, offset: number): string {
  const all = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return all.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

/** RFC 3986, and what JavaScript and forms make of it: they leave different characters as they are. */
function percentEncoded(text: string, bytes: Buffer): readonly string[] {
  const all = bytes.toString('latin1').replace(/[^A-Za-z0-9._~-]/g, (byte) => {
    return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  });
  const wellFormed = text.toWellFormed();
  const form = new URLSearchParams({ '': wellFormed }).toString().slice(1);
  const upper = [all, encodeURIComponent(wellFormed), encodeURI(wellFormed), form, form.replaceAll('+', '%20')];
  return [
    ...upper,
    all.replaceAll('%20', '+'),
    ...upper.map((each) => each.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
  ];
}
