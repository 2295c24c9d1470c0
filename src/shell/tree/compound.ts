/** Compound commands, substitutions and functions: what holds inside of them. */
import { runsIndex } from '../effects.ts';
import { copyOf, keepValue } from '../parts.ts';
import { hole } from '../types.ts';
import { emit } from './emit.ts';
import { readArithmetic } from './expressions.ts';
import type { Reading } from './reading.ts';

/** Also what is substituted: it stands in no pipeline, and does not read what is around it. */
export function readSubshell(reading: Reading, node: number): void {
  const scope = copyOf(reading.around.scope);
  reading.enter(node, reading.kind(node) === 'subshell' ? { scope } : { scope, stage: null, stdin: null });
  // `$(> x)` is a redirection without any command.
  const redirects = reading.children(node).filter((child) => reading.kind(child) === 'file_redirect');
  if (redirects.length > 0) emit(reading, node, { redirects });
}

export function readGroup(reading: Reading, node: number): void {
  if (reading.source(node).startsWith('((')) readArithmetic(reading, node);
}

export function readFunction(reading: Reading, node: number): void {
  const [name = node, body = node] = reading.children(node);
  reading.session.defineFunction(reading.source(name), reading.source(body), reading.span(node));
  reading.enter(node, { within: reading.source(name) });
}

/** One value is known as it is; several are read one by one. */
export function readFor(reading: Reading, node: number): void {
  const [variable, ...values] = reading
    .children(node)
    .filter((child) => !/^(?:do_group|compound_statement)$/.test(reading.kind(child)));
  if (variable === undefined) return;
  const name = reading.source(variable);
  const words = reading.words(values);
  const [only] = words;
  const texts = words.map(({ text }) => text);
  keepValue(reading.around.scope, name, words.length === 1 && only !== undefined && !only.glob ? only.text : hole);
  if (texts.some(runsIndex)) reading.session.noteIndex(reading.span(node));
  if (words.length > 1 || only?.glob === true)
    reading.loops.push({ name, values: texts, until: reading.tree.last[node] ?? 0 });
}
