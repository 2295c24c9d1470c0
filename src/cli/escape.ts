/**
 * Text for a terminal. What a sandbox or a place reports (names, commands, messages) may hold sequences that move
 * the cursor, set the clipboard, answer queries or reorder what is read; shown, it must be only visible characters.
 */

// Controls, formats (bidi, zero width), surrogates, private and unassigned, line separators, and what renders as nothing.
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const colour = /\u001b\[[0-9;:]{0,32}m/g;

/** Only printable characters, newline and tab remain; all others are spelled out as `\x1b` or `\u{202e}`. */
export function escape(text: string): string {
  return text.replace(invisible, (character) =>
    character === '\n' || character === '\t' ? character : spell(character),
  );
}

/** Escapes text that must stay within one line or one cell. */
export function escapeLine(text: string): string {
  return text.replace(invisible, spell);
}

/** For recorded output on a terminal: colours stay, `\r\n` is a line end, everything else is spelled out. */
export function escapeKeepingColours(text: string): string {
  const lines = text.replaceAll('\r\n', '\n');
  let kept = '';
  let from = 0;
  for (const match of lines.matchAll(colour)) {
    kept += escape(lines.slice(from, match.index)) + match[0];
    from = match.index + match[0].length;
  }
  return kept + escape(lines.slice(from));
}

function spell(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  const code = character.codePointAt(0) ?? 0;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
