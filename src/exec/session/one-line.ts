/** Shell text without comments, here-documents and newlines in quotes, as one line. */

/** After these no command ends: keywords, operators, and the pattern of a `case`. */
const goesOn = /(?:^|[\s;({])(?:do|then|else|in|\{)$|(?:\(|\||&&|;;)$|^[^(]*[^\s;]\)$/;

export function onOneLine(text: string): string {
  const lines = text.split('\n');
  return lines.map((line, at) => (at === lines.length - 1 || goesOn.test(line) ? line : `${line};`)).join(' ');
}
