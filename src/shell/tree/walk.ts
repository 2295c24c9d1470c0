/** Reads the commands of a text out of its syntax tree: one pass in source order, without recursion. */
import type { FlatTree } from '../grammar/flatten.ts';
import { copyOf, type Payload } from '../parts.ts';
import type { Session } from '../session.ts';
import { readAssignment } from './assignments.ts';
import { readBuiltin } from './builtins.ts';
import { readCommand } from './command.ts';
import { readFor, readFunction, readGroup, readSubshell } from './compound.ts';
import { differsAt, joinsLines } from './edges.ts';
import { readArithmetic, readTest } from './expressions.ts';
import { features } from './features.ts';
import { readPipeline } from './pipelines.ts';
import { Reading } from './reading.ts';
import { readRedirected } from './redirected.ts';
import { unseenIn } from './unseen.ts';

type Visitor = (reading: Reading, node: number) => void;

/** Readers of nodes, by the kind of node in the grammar. */
const visitors: Readonly<Record<string, Visitor>> = {
  command: readCommand,
  redirected_statement: readRedirected,
  declaration_command: readBuiltin,
  unset_command: readBuiltin,
  test_command: readTest,
  arithmetic_expansion: readArithmetic,
  variable_assignment: readAssignment,
  pipeline: readPipeline,
  function_definition: readFunction,
  for_statement: readFor,
  compound_statement: readGroup,
  subshell: readSubshell,
  command_substitution: readSubshell,
  process_substitution: readSubshell,
  expansion: readExpansion,
};

/** Whether the shell would read the text as the tree has it. */
export function readTree(tree: FlatTree, payload: Payload, session: Session): boolean {
  const reading = new Reading(tree, payload, session);
  for (let node = 0; node < tree.kind.length; node += 1) {
    reading.leave(node);
    const stage = reading.stages.get(node);
    if (stage !== undefined) reading.enter(node, { stage, scope: copyOf(reading.around.scope) });
    visit(reading, node);
  }
  return reading.asShell;
}

function visit(reading: Reading, node: number): void {
  const kind = reading.kind(node);
  const feature = features[kind];
  if (feature !== undefined) reading.session.features.add(feature);
  for (const text of unseenIn(reading.tree, reading.text, node)) reading.readAside(text, reading.span(node));
  if (reading.hasJoints && joinsLines(reading.tree, reading.text, node)) reading.differs(node);
  const visitor = visitors[kind] ?? compare;
  visitor(reading, node);
}

/** `${x@P}` expands what is in the variable as a prompt, with the commands in it. */
function readExpansion(reading: Reading, node: number): void {
  if (/@P\}$/.test(reading.source(node))) reading.session.noteIndex(reading.span(node));
}

function compare(reading: Reading, node: number): void {
  if (differsAt(reading.tree, reading.text, node)) reading.differs(node);
}
