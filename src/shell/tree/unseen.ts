/** Commands that a shell finds where the grammar shows none. */
import type { FlatTree } from '../grammar/flatten.ts';
import { substitutionsIn, unescaped } from '../quoting.ts';

/** Texts of substitutions in a node that are no nodes themselves. */
export function unseenIn(tree: FlatTree, text: string, node: number): readonly string[] {
  const source = text.slice(tree.start[node], tree.end[node]);
  const above = tree.kind[tree.parent[node] ?? -1];
  if (tree.kind[node] === 'expansion')
    return above === 'expansion' || !/[`]|\$\(/.test(source) ? [] : beyond(tree, text, node);
  if (tree.kind[node] !== 'command_substitution' || !source.startsWith('`')) return [];
  // Nested in another, and in quotes, it is escaped.
  const inside = source.slice(1, -1);
  const read = unescaped(inside, above === 'string');
  return read === inside ? [] : [read];
}

/** `${x:=`id`}` and `"${a['$(id)']}"`: for the grammar, these are words and quoted text. */
function beyond({ kind, start, end, last }: FlatTree, text: string, node: number): readonly string[] {
  const seen = new Set<string>();
  for (let below = node + 1; below < (last[node] ?? 0); below += 1)
    if (kind[below] === 'command_substitution')
      substitutionsIn(text.slice(start[below], end[below])).forEach((each) => seen.add(each));
  return substitutionsIn(text.slice((start[node] ?? 0) + 2, (end[node] ?? 0) - 1)).filter((each) => !seen.has(each));
}
