/** JSON that is safe to look at: what a terminal could act on is written as `\uXXXX`, which parses to the same value. */
export function toJson(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent) ?? 'null';
  // Newlines are the only control characters that JSON.stringify itself writes, for the indent.
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
    character === '\n' ? character : units(character),
  );
}

function units(character: string): string {
  let text = '';
  for (let at = 0; at < character.length; at += 1)
    text += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return text;
}
