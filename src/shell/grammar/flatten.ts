/** A syntax tree as arrays in source order: walking them needs neither recursion nor calls into wasm. */
import type { Tree, TreeCursor } from 'web-tree-sitter';
import { treeDepth, treeNodes } from '../limits.ts';

export interface FlatTree {
  /** Names of the named nodes, parents before children. */
  readonly kind: readonly string[];
  readonly start: readonly number[];
  readonly end: readonly number[];
  /** Index behind the last node below this one. */
  readonly last: readonly number[];
  /** -1 at the root. */
  readonly parent: readonly number[];
  readonly hasError: boolean;
  /** Whether nodes are missing because a bound was reached. */
  readonly cut: boolean;
}

const errorId = 65535;

/** Words of a command that the grammar does not name: `-o$`, `==`. */
const unnamedWord = /^(?:\$|=[=~])$/;
const holdsWords = /^(?:command|declaration_command|for_statement|array|\w+_redirect)$/;

/** `names`: of node types by id, empty for those to leave out. */
export function flatten(tree: Tree, names: readonly string[]): FlatTree {
  const nodes = {
    kind: [] as string[],
    start: [] as number[],
    end: [] as number[],
    last: [] as number[],
    parent: [] as number[],
  };
  const open: number[] = [-1];
  const cursor = tree.walk();
  let cut = false;
  let descend = true;
  while (true) {
    if (descend) {
      const id = cursor.nodeTypeId;
      const name =
        id === errorId ? 'ERROR' : names[id] || (isWord(cursor, nodes.kind[nearestOpen(open)]) ? 'word' : '');
      if (name !== '') {
        nodes.parent.push(nearestOpen(open));
        nodes.kind.push(name);
        nodes.start.push(cursor.startIndex);
        nodes.end.push(cursor.endIndex);
        nodes.last.push(0);
      }
      const index = name === '' ? -1 : nodes.kind.length - 1;
      cut ||= open.length > treeDepth || nodes.kind.length > treeNodes;
      if (!cut && cursor.gotoFirstChild()) {
        open.push(index);
        continue;
      }
      if (index >= 0) nodes.last[index] = nodes.kind.length;
    }
    if (!cut && cursor.gotoNextSibling()) {
      descend = true;
      continue;
    }
    if (open.length === 1 || !cursor.gotoParent()) break;
    const index = open.pop() ?? -1;
    if (index >= 0) nodes.last[index] = nodes.kind.length;
    descend = false;
  }
  for (const [index, last] of nodes.last.entries()) if (last === 0) nodes.last[index] = nodes.kind.length;
  cursor.delete();
  return { ...nodes, hasError: tree.rootNode.hasError, cut };
}

function isWord(cursor: TreeCursor, above = ''): boolean {
  return !cursor.nodeIsNamed && holdsWords.test(above) && unnamedWord.test(cursor.nodeType);
}

function nearestOpen(open: readonly number[]): number {
  for (let at = open.length - 1; at > 0; at -= 1) {
    const index = open[at] ?? -1;
    if (index >= 0) return index;
  }
  return -1;
}
