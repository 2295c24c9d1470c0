/** The forms in which a declared value may be printed. Pure. */

export interface Form {
  readonly bytes: Buffer;
  /** The value is too short to be looked for everywhere: it counts where it is a whole line. */
  readonly wholeLine: boolean;
}

/** Shorter ones are found in half of all texts. */
export const shortestEverywhere = 8;
/** Of a value that has several lines, a line this long counts by itself. */
const shortestLine = 16;
/** Longer values are looked for as they are, not encoded: what is encoded of them is wrapped into lines anyway. */
const longestEncoded = 4096;

export function formsOf(value: string): readonly Form[] {
  const trimmed = value.replace(/^[\r\n]+/, '').replace(/[\r\n]+$/, '');
  const bytes = Buffer.from(trimmed);
  if (bytes.length === 0) return [];
  if (bytes.length < shortestEverywhere) return wholeLine(bytes);
  const texts = [trimmed, ...linesOf(trimmed), ...(bytes.length > longestEncoded ? [] : encoded(trimmed, bytes))];
  return [...new Set(texts)]
    .filter((text) => text.length >= shortestEverywhere)
    .map((text) => ({ bytes: Buffer.from(text), wholeLine: false }));
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
  const percent = percentEncoded(bytes);
  const base64 = [bytes.toString('base64'), ...[0, 1, 2].map((offset) => base64Within(bytes, offset))];
  return [
    ...base64,
    bytes.toString('base64url'),
    ...base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_')),
    hex,
    hex.toUpperCase(),
    percent,
    percent.replaceAll('%20', '+'),
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    JSON.stringify(text).slice(1, -1),
  ];
}

/** What is the same in every base64 text that has the value at this offset (modulo 3), whatever stands around it. */
function base64Within(bytes: Buffer, offset: number): string {
  const all = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return all.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

/** RFC 3986: everything but unreserved characters, so also what `encodeURIComponent` leaves (!'()*). */
function percentEncoded(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[^A-Za-z0-9._~-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
