/** Finds places at which the grammar and the shell disagree about where something begins or ends. */
import type { FlatTree } from '../grammar/flatten.ts';
import { childrenOf } from './ranges.ts';

/** Words that the grammar takes for names of programs where the shell finds nothing to close or continue. */
const closes = /^(?:then|do|done|fi|elif|else|esac|\})(?=[\s;&|]|$)/;

export function differsAt(tree: FlatTree, text: string, node: number): boolean {
  const kind = tree.kind[node];
  const start = tree.start[node] ?? 0;
  const end = tree.end[node] ?? 0;
  if (kind === 'command') return closes.test(text.slice(start, end));
  if (kind === 'heredoc_start') return (text.slice(start, end).match(/['"]/g) ?? []).length % 2 === 1;
  if (kind === 'heredoc_end') return endsWithin(text, start, end) || endsBefore(tree, text, node);
  return kind === 'comment' && beginsWithin(tree, text, node);
}

/** Nodes that end with their line. */
const ofOneLine = /^(?:(?:declaration_|unset_|test_)?command|redirected_statement|file_redirect|herestring_redirect)$/;
const joint = /\n[ \t]*\\\n|\\\n[ \t]*\n/;

/** Whether an empty line stands beside a continued one: the grammar may join more lines there than the shell. */
export const hasJoints = (text: string): boolean => joint.test(text);

/** Whether the grammar has put the command of a later line into this node. */
export function joinsLines(tree: FlatTree, text: string, node: number): boolean {
  if (!ofOneLine.test(tree.kind[node] ?? '')) return false;
  const children = childrenOf(tree, node);
  return children.some((child, at) => {
    const before = children[at - 1];
    if (before === undefined || tree.kind[before] === 'heredoc_redirect') return false;
    return joint.test(text.slice(tree.end[before], tree.start[child]));
  });
}

/** The grammar ends a here-document at a line that begins with its word; the shell wants nothing else on that line. */
function endsWithin(text: string, start: number, end: number): boolean {
  const before = text.slice(0, start).replace(/\t+$/, '');
  return !before.endsWith('\n') || !/^(?:\n|$)/.test(text.slice(end, end + 1));
}

/** The grammar does not look for the end inside `${x:-...}`. */
function endsBefore(tree: FlatTree, text: string, node: number): boolean {
  const { kind, parent, start, end } = tree;
  const redirect = parent[node] ?? 0;
  const body = childrenOf(tree, redirect).find((child) => kind[child] === 'heredoc_body');
  if (body === undefined) return false;
  const word = text.slice(start[node], end[node]);
  const tabs = /^\d*<<-/.test(text.slice(start[redirect], end[redirect])) ? /^\t+/ : '';
  const lines = text.slice(start[body], end[body]).split('\n');
  return lines.some((line) => line.replace(tabs, '') === word);
}

/** What ends so leaves the shell within a word: `a=(x)#y`, `$(x)#y`. */
const staysOpen =
  /^(?:array|(?:command|process)_substitution|arithmetic_expansion|(?:simple_)?expansion|extglob_pattern|regex|word|variable_assignment)$/;
const wordEnds = /(?:^|[\s;&|()`])$/;

/**
 * The grammar begins a comment at any `#` behind a blank or an operator. For the shell it is text where the word goes on: behind
 * an escaped blank, an array or a substitution.
 */
function beginsWithin(tree: FlatTree, text: string, node: number): boolean {
  const start = tree.start[node] ?? 0;
  const from = withoutContinuations(text, start);
  if (!wordEnds.test(text.slice(Math.max(0, from - 1), from)) || isEscaped(text, from - 1)) return true;
  return /[)`]/.test(text[from - 1] ?? '') && endsOpen(tree, node, from);
}

/** Whether a node that ends there belongs to a word. */
function endsOpen({ kind, end, parent }: FlatTree, node: number, at: number): boolean {
  let before = node - 1;
  const isInside = (): boolean =>
    (end[before] ?? 0) < at || (end[before] === at && !staysOpen.test(kind[before] ?? ''));
  while (before >= 0 && isInside()) before = parent[before] ?? -1;
  return before >= 0 && end[before] === at;
}

/** End of the text before `at` that the shell sees: the shell drops a backslash and the newline behind it. */
function withoutContinuations(text: string, at: number): number {
  let end = at;
  while (text[end - 1] === '\n' && text[end - 2] === '\\' && !isEscaped(text, end - 2)) end -= 2;
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === '\\') from -= 1;
  return (at - from) % 2 === 1;
}
