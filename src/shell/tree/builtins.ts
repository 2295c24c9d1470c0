/** Builtins that the grammar has nodes of their own for: `declare` and its like, `unset`, `[`. */
import { keepValue } from '../parts.ts';
import { hole, type Assignment, type Word } from '../types.ts';
import { assignmentOf } from './assignments.ts';
import { emit } from './emit.ts';
import { byLine } from './ranges.ts';
import type { Reading } from './reading.ts';

export function readBuiltin(reading: Reading, node: number): void {
  const name = nameOf(reading, node);
  const [children = [], ...further] = byLine(reading.tree, reading.text, reading.children(node));
  const assigned = children.filter((child) => reading.kind(child) === 'variable_assignment');
  const assignments = assigned.map((child) => assignmentOf(reading, child));
  keepValues(reading, assignments, isReference(reading, name, children));
  if (reading.kind(node) === 'unset_command')
    for (const child of children) reading.around.scope.vars.set(reading.source(child), hole);
  const first: Word = { text: name, raw: name, ...reading.span(node), literal: true, glob: false };
  const rest = children.filter((child) => reading.kind(child) !== 'variable_assignment');
  emit(reading, node, { words: [first, ...rest.map((child) => asWritten(reading, child))], assignments });
  for (const line of further) emit(reading, node, { words: reading.words(line) });
}

function nameOf(reading: Reading, node: number): string {
  const kind = reading.kind(node);
  return kind === 'test_command' ? 'test' : (/^\w+/.exec(reading.source(node))?.[0] ?? kind);
}

/** `declare -n a=b`: what it holds is a name. */
function isReference(reading: Reading, name: string, children: readonly number[]): boolean {
  return (
    /^(?:declare|typeset|local)$/.test(name) && children.some((child) => /^-[a-zA-Z]*n/.test(reading.source(child)))
  );
}

function keepValues({ around }: Reading, assignments: readonly Assignment[], unknown: boolean): void {
  for (const { name, value } of assignments) keepValue(around.scope, name, unknown ? hole : value);
}

function asWritten(reading: Reading, node: number): Word {
  const source = reading.source(node);
  // What quotes hold here is read again, as a name with a subscript, or a list.
  const text = /^(['"])[^]*\1$/.test(source) ? source.slice(1, -1) : source;
  return { text, raw: source, ...reading.span(node), literal: false, glob: false };
}
