/** Here-documents, found by lines alone. */

export interface HereDocument {
  /** The line that ends it. */
  readonly end: string;
  /** `<<-`: tabs may stand before that line. */
  readonly tabs: boolean;
  /** Nothing in it is expanded. */
  readonly quoted: boolean;
}

/** `written`: the word behind the operator. */
export function hereDocumentOf(operator: string, written: string): HereDocument {
  return { end: written.replace(/['"\\]/g, ''), tabs: operator === '<<-', quoted: /['"\\]/.test(written) };
}

/** The body that begins at `from`, and where its last line ends. One that stays open has all the rest. */
export function bodyFrom(
  text: string,
  from: number,
  { end, tabs }: HereDocument,
): { readonly body: string; readonly behind: number } {
  const lines = new RegExp(`^${tabs ? '\\t*' : ''}${end.replace(/[^\w]/g, '\\$&')}$`, 'm');
  const rest = text.slice(from);
  const found = lines.exec(rest);
  const behind = found === null ? text.length : from + found.index + found[0].length;
  return { body: rest.slice(0, found?.index ?? rest.length), behind };
}
