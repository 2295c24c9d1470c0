/** How nodes of the grammar belong together in the shell, where the two do not agree. */
import type { FlatTree } from '../grammar/flatten.ts';

export interface Range {
  readonly start: number;
  end: number;
}

export function childrenOf({ last }: FlatTree, node: number): readonly number[] {
  const children: number[] = [];
  for (let child = node + 1; child < (last[node] ?? 0); child = last[child] ?? Number.MAX_SAFE_INTEGER)
    children.push(child);
  return children;
}

/** Neighbours without a blank between them are one word. */
export function wordRanges(tree: FlatTree, text: string, nodes: readonly number[]): readonly Range[] {
  const ranges: Range[] = [];
  for (const node of nodes) {
    const range = { start: startOf(tree, text, node), end: tree.end[node] ?? 0 };
    const before = ranges.at(-1);
    if (before !== undefined && /^(?:\\\n)*$/.test(text.slice(before.end, range.start))) before.end = range.end;
    else ranges.push(range);
  }
  return ranges;
}

/** A line that begins with a backslash is, for the grammar, more words of the command on the line before. */
export function byLine({ start }: FlatTree, text: string, words: readonly number[]): readonly (readonly number[])[] {
  const lines: number[][] = [[]];
  for (const word of words) {
    if (/\s/.test(text[start[word] ?? 0] ?? '')) lines.push([]);
    lines.at(-1)?.push(word);
  }
  return lines;
}

export function outside({ start }: FlatTree, nodes: readonly number[], ranges: readonly Range[]): readonly number[] {
  return nodes.filter(
    (node) => !ranges.some((range) => range.start <= (start[node] ?? 0) && (start[node] ?? 0) < range.end),
  );
}

/** `rm >log -r x`: the grammar counts the words behind the target to the redirection, the shell to the command. */
export function behindTarget(tree: FlatTree, redirect: number): readonly number[] {
  const kindOf = (child: number): string => tree.kind[child] ?? '';
  const children = childrenOf(tree, redirect).filter(
    (child) => !/^(?:file_descriptor|heredoc_\w+|\w+_redirect|pipeline|list)$/.test(kindOf(child)),
  );
  if (tree.kind[redirect] === 'file_redirect') return children.slice(1);
  if (tree.kind[redirect] !== 'heredoc_redirect') return [];
  return children.filter((child) => !/^(?:ERROR|redirected_statement|command)$/.test(kindOf(child)));
}

/** `python3 - <<E`: the grammar makes no node for a dash in front of a redirection. */
export function dashBetween(
  { start, end }: FlatTree,
  text: string,
  { body, redirect }: { readonly body: number; readonly redirect: number },
): readonly Range[] {
  const range = { start: end[body] ?? 0, end: start[redirect] ?? 0 };
  return text.slice(range.start, range.end).trim() === '-' ? [range] : [];
}

/** Lines of a here-document that begin with a backslash are, for the grammar, still words of the line above. */
export function eatenBy(tree: FlatTree, text: string, redirect: number): Range | null {
  const { kind, start, last } = tree;
  for (let node = redirect + 1; node < (last[redirect] ?? 0) && kind[node] !== 'heredoc_body'; node += 1) {
    const from = start[node] ?? 0;
    if (!/\s/.test(text[from] ?? '')) continue;
    const body = childrenOf(tree, redirect).find((child) => kind[child] === 'heredoc_body');
    return body === undefined ? null : { start: from, end: start[body] ?? from };
  }
  return null;
}

function startOf({ start, end }: FlatTree, text: string, node: number): number {
  const from = start[node] ?? 0;
  return /\s/.test(text[from] ?? '') ? from + (/^\s*/.exec(text.slice(from, end[node]))?.[0].length ?? 0) : from;
}

/** The stages of a pipeline. `a | b | c && d` is, for the grammar, `a | ((b | c) && d)`; only what stands first belongs to it. */
export function stagesOf(tree: FlatTree, pipeline: number): readonly number[] {
  const stages: number[] = [];
  const todo = childrenOf(tree, pipeline).toReversed();
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    const kind = tree.kind[node];
    if (kind !== 'list' && kind !== 'pipeline') {
      stages.push(node);
      continue;
    }
    const children = childrenOf(tree, node);
    for (const child of kind === 'list' ? children.slice(0, 1) : children.toReversed()) todo.push(child);
  }
  return stages;
}
