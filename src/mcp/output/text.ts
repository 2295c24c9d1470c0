/** Bytes of commands as text, cut at the edges of characters (UTF-8). Pure. */

/** How many bytes at the end begin a character that is not complete. */
function incompleteAt(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return back < lengthBy(byte) ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

const lengthBy = (first: number): number => (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2);

/** `rest`: the bytes at the end that are no whole character yet. */
export function decoded(bytes: Uint8Array): { readonly text: string; readonly rest: Uint8Array } {
  const whole = bytes.length - incompleteAt(bytes);
  return { text: utf8(bytes.subarray(0, whole)), rest: bytes.slice(whole) };
}

/** Decodes bytes whose beginning was cut off, which may lie within a character. */
export function decodedTail(bytes: Uint8Array): string {
  let at = 0;
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return utf8(bytes.subarray(at));
}

export const utf8 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

/** A line of a file, with a word where it is cut. */
export function shortLine(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  // Half of a pair of code units would be left.
  const head = text.slice(0, maxUnits).replace(/[\uD800-\uDBFF]$/, '');
  return `${head}[... the rest of the line is left out ...]`;
}

/** For one line that people read: what a terminal would act on is left out. */
export function oneLine(text: string, maxUnits: number): string {
  return text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, maxUnits);
}
