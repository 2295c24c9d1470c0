/** Variables that get a value which is written: `a=b`, `a+=b`, `a=(b c)`. */
import { keepValue } from '../parts.ts';
import { hole, wordBreak, type Assignment } from '../types.ts';
import { resolveValue } from '../words.ts';
import { emit } from './emit.ts';
import type { Reading } from './reading.ts';

/** Those of commands are read with their commands. */
export function readAssignment(reading: Reading, node: number): void {
  if (/^(?:declaration_)?command$/.test(reading.kind(reading.tree.parent[node] ?? -1))) return;
  const assignment = assignmentOf(reading, node);
  keepValue(reading.around.scope, assignment.name, assignment.value);
  emit(reading, node, { assignments: [assignment] });
}

export function assignmentOf(reading: Reading, node: number): Assignment {
  const source = reading.source(node);
  const at = source.indexOf('=');
  const name = source
    .slice(0, at)
    .replace(/\+$/, '')
    .replace(/\[[^]*/, '');
  return { name, value: valueOf(reading, node, name), ...reading.span(node) };
}

function valueOf(reading: Reading, node: number, name: string): string {
  const source = reading.source(node);
  const { scope } = reading.around;
  const at = source.indexOf('=');
  const raw = source.slice(at + 1);
  const added = source[at - 1] === '+';
  if (raw.startsWith('(')) return arrayOf(reading, node, added ? scope.vars.get(name) : '');
  const ofElement = source[at - 1] === ']' && !/^BASH_/.test(name);
  return added || ofElement ? hole : resolveValue(raw, scope);
}

/** `a=(...)`; behind what it held before, when it is added. */
function arrayOf(reading: Reading, node: number, before: string | undefined): string {
  const array = reading.children(node).find((child) => reading.kind(child) === 'array');
  if (array === undefined || before === undefined || (before !== '' && !before.startsWith(wordBreak))) return hole;
  const words = reading.words(reading.children(array));
  return before + words.map(({ text }) => wordBreak + text).join('');
}
