/** Here-documents and here-strings: the text in them, and what the grammar puts below them that is not theirs. */
import { substitutionsIn } from '../quoting.ts';
import { resolveText } from '../words.ts';
import { connect } from './pipelines.ts';
import { eatenBy, stagesOf } from './ranges.ts';
import type { Reading } from './reading.ts';

/** `cat <<E | sh`: the grammar puts what follows the pipe below the here-document. */
export function readHereDocument(reading: Reading, redirect: number, command: number | undefined): void {
  const { tree, text } = reading;
  const eaten = eatenBy(tree, text, redirect);
  if (eaten !== null) reading.eaten.push(eaten);
  const piped = reading.children(redirect).find((child) => reading.kind(child) === 'pipeline');
  if (piped === undefined || command === undefined) return;
  const upTo = text.slice(tree.start[redirect], (tree.start[piped] ?? 0) + 1);
  if (/\|&?\s*$/.test(upTo)) connect(reading, [command, ...stagesOf(tree, piped)]);
}

/** What a command reads: the last of its redirections holds. */
export function stdinOf(reading: Reading, redirects: readonly number[]): string | null {
  let text: string | null = null;
  for (const node of redirects) text = textOf(reading, node) ?? text;
  return text;
}

function textOf(reading: Reading, redirect: number): string | null {
  const kind = reading.kind(redirect);
  if (kind === 'herestring_redirect') return hereStringOf(reading, redirect);
  return kind === 'heredoc_redirect' ? hereDocumentOf(reading, redirect) : null;
}

function hereStringOf(reading: Reading, redirect: number): string {
  const words = reading.words(reading.children(redirect).filter((child) => reading.kind(child) !== 'file_descriptor'));
  return `${words.map(({ text }) => text).join(' ')}\n`;
}

function hereDocumentOf(reading: Reading, redirect: number): string | null {
  const children = reading.children(redirect);
  const body = children.find((child) => reading.kind(child) === 'heredoc_body');
  if (body === undefined) return null;
  const start = children.find((child) => reading.kind(child) === 'heredoc_start') ?? body;
  const source = bodyOf(reading, redirect, body);
  return /['"\\]/.test(reading.source(start)) ? source : expanded(reading, body, source);
}

function bodyOf({ tree, text }: Reading, redirect: number, body: number): string {
  const from = eatenBy(tree, text, redirect)?.start ?? (tree.start[body] ?? 0) - 1;
  return text.slice(from + 1, tree.end[body]);
}

/** The grammar does not see every substitution in a here-document; the shell does. */
function expanded(reading: Reading, body: number, source: string): string {
  if (/[$`]/.test(source)) reading.session.features.add('expansion');
  for (const text of substitutionsIn(source)) reading.readAside(text, reading.span(body));
  return resolveText(source, reading.around.scope);
}
