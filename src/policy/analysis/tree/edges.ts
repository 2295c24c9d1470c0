/** Where the grammar and the shell do not agree on where something begins or ends. */
import type { FlatTree } from '../../grammar/flatten.ts';
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
  return kind === 'comment' && beginsWithin(text, start);
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

/** The grammar begins a comment behind an escaped blank, too; for the shell that is inside a word. */
function beginsWithin(text: string, start: number): boolean {
  return !/(?:^|[^\\][\s;&|()`]|^[\s;&|()`])$/.test(text.slice(Math.max(0, start - 2), start));
}
