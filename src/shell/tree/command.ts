/** The simple commands that the grammar shows as such. */
import type { Around } from '../parts.ts';
import type { Assignment, Word } from '../types.ts';
import { resolveWord } from '../words.ts';
import { assignmentOf } from './assignments.ts';
import { differsAt } from './edges.ts';
import { emit } from './emit.ts';
import { maxPerValue, perValue } from './loops.ts';
import { behindTarget, byLine, outside } from './ranges.ts';
import type { Lent, Reading } from './reading.ts';

export function readCommand(reading: Reading, node: number): void {
  const { assignments, redirects: own, words } = partsOf(reading, node);
  if (differsAt(reading.tree, reading.text, node)) reading.differs(node);
  const lent = reading.lent.get(node) ?? { redirects: [], reach: node, dash: [] };
  const redirects = [...own, ...lent.redirects];
  const behind = redirects.flatMap((redirect) => behindTarget(reading.tree, redirect));
  const [first = [], ...further] = linesOf(reading, words);
  const [rest = [], ...below] = linesOf(reading, behind);
  inEach(reading, variantsOf(reading, node, lent.reach), () => {
    const line = [...reading.words(first), ...dashOf(reading, lent), ...reading.words(rest)];
    emit(reading, lent.reach, { words: line, redirects, assignments });
    for (const more of [...further, ...below]) emit(reading, lent.reach, { words: reading.words(more), redirects });
  });
}

interface CommandNodes {
  readonly assignments: readonly Assignment[];
  readonly redirects: number[];
  readonly words: readonly number[];
}

function partsOf(reading: Reading, node: number): CommandNodes {
  const assignments: Assignment[] = [];
  const redirects: number[] = [];
  const words: number[] = [];
  const children = reading.children(node);
  for (const [at, child] of children.entries()) {
    const kind = reading.kind(child);
    if (kind === 'variable_assignment') assignments.push(assignmentOf(reading, child));
    else if (kind.endsWith('_redirect')) redirects.push(child);
    else if (kind === 'subshell') {
      // Only the keyword takes that.
      if (!/^time\s/.test(reading.source(node))) reading.differs(child);
    } else if (kind !== 'comment' && !isDescriptor(reading, child, children[at + 1])) words.push(child);
  }
  return { assignments, redirects, words };
}

/** `0<<<x`: for the grammar, the number is a word of the command. */
function isDescriptor({ tree }: Reading, child: number, next: number | undefined): boolean {
  return (
    next !== undefined &&
    tree.kind[child] === 'number' &&
    tree.kind[next] === 'herestring_redirect' &&
    tree.end[child] === tree.start[next]
  );
}

function linesOf({ tree, text, eaten }: Reading, words: readonly number[]): readonly (readonly number[])[] {
  return byLine(tree, text, outside(tree, words, eaten));
}

function dashOf({ payload, around }: Reading, { dash }: Lent): readonly Word[] {
  return dash.flatMap((range) => resolveWord('-', payload.span ?? range, around.scope));
}

/** What may hold around a command in loops. */
function variantsOf(reading: Reading, node: number, reach: number): readonly Around[] {
  const { session, loops, around } = reading;
  const open = session.commands.length > maxPerValue ? [] : loops.filter(({ until }) => node < until);
  return perValue(open, reading.source(reach), around);
}

function inEach(reading: Reading, variants: readonly Around[], read: () => void): void {
  const before = reading.around;
  for (const around of variants) {
    reading.around = around;
    read();
  }
  reading.around = before;
  if (variants.some(({ scope }) => scope.cwd !== before.scope.cwd)) before.scope.cwd = null;
}
