/** Files that are written or read by redirections. */
import type { Redirect } from '../types.ts';
import type { Reading } from './reading.ts';

export function redirectsOf(reading: Reading, node: number): readonly Redirect[] {
  const kind = reading.kind(node);
  const children = reading.children(node);
  if (kind === 'heredoc_redirect')
    return children
      .filter((child) => reading.kind(child) === 'file_redirect')
      .flatMap((child) => redirectsOf(reading, child));
  if (kind === 'herestring_redirect') return [];
  const target = children.find((child) => reading.kind(child) !== 'file_descriptor');
  if (target === undefined) return [];
  const operator = operatorOf(reading, node, target);
  // What is written to another descriptor is seen where that is opened; what is read from one is not known.
  if (
    operator.endsWith('&') &&
    /^(?:\d+|-)$/.test(reading.source(target)) &&
    !/^<&[1-9]/.test(operator + reading.source(target))
  )
    return [];
  return reading.words([target]).map((word) => ({ operator, target: word, writes: operator.includes('>') }));
}

function operatorOf({ text, tree }: Reading, node: number, target: number): string {
  return /[<>&|]+/.exec(text.slice(tree.start[node], tree.start[target]))?.[0] ?? '';
}
