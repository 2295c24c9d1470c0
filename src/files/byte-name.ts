/**
 * File names are bytes, in no encoding. Inside this room they travel as `ByteName`: a string with one character for each
 * byte ("latin1"), which loses nothing and compares and splits cheaply. `printable` is for people.
 */
export type ByteName = string;

const shownCharacters = 200;

export function toBytes(name: ByteName): Buffer {
  return Buffer.from(name, 'latin1');
}

export function fromText(text: string): ByteName {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Converts to text, for comparison with text; bytes that are not UTF-8 are lost. */
export function toText(name: ByteName): string {
  return toBytes(name).toString();
}

/** Converts to text with every control, format and invalid character escaped, so that a name cannot fake a terminal or a log. */
export function printable(name: ByteName): string {
  const head = name.slice(0, shownCharacters * 4);
  const escaped = decode(head).replaceAll(/[\p{C}\p{Zl}\p{Zp}\\]/gu, escapeCharacter);
  const cut = escaped.length > shownCharacters || head.length < name.length;
  return cut ? `${escaped.slice(0, shownCharacters)}...` : escaped;
}

function decode(name: ByteName): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(toBytes(name));
  } catch {
    // Not UTF-8: the bytes beyond ASCII are shown one by one, by way of the private use area.
    return name.replaceAll(/[\u0080-\u00ff]/g, (byte) => String.fromCodePoint(0xf700 + byte.charCodeAt(0)));
  }
}

function escapeCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  if (character === '\\') return '\\\\';
  if (character === '\n') return '\\n';
  if (point >= 0xf780 && point <= 0xf7ff) return `\\x${(point - 0xf700).toString(16)}`;
  return point < 0x100 ? `\\x${point.toString(16).padStart(2, '0')}` : `\\u{${point.toString(16)}}`;
}
