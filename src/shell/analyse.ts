/** A command text, or an argument vector, taken apart. Pure, given the grammar. */
import type { FlatTree } from './grammar/flatten.ts';
import type { Parse } from './grammar/load.ts';
import { fullAnalysisUnits, grammarMarks, scanUnits } from './limits.ts';
import type { DecisionTime } from './time.ts';
import { withBareBrackets } from './brackets.ts';
import { disguised, hiddenNote } from './bytes.ts';
import { readLight } from './light.ts';
import { readPiped, readScripts } from './pipes.ts';
import type { Payload } from './parts.ts';
import { Session } from './session.ts';
import { readTree } from './tree/walk.ts';
import { type Analysis, type Assignment, hole, type CommandContext, type Simple, type Word } from './types.ts';

export interface Reader {
  /** `null`: the grammar is not there. */
  readonly parse: Parse | null;
  readonly time: DecisionTime;
}

/** Text as a shell gets it. */
export function analyse(text: string, place: CommandContext, reader: Reader): Analysis {
  const session = sessionIn(place, reader.time);
  const whole = { start: 0, end: text.length };
  if (place.unclear === true) session.note('U9', 'state of the session that is not known', whole);
  if (text.includes('\u0000') || !text.isWellFormed()) session.note('U6', 'bytes that no command can hold', whole);
  const strange = hiddenNote(text);
  if (strange !== null) session.note(strange.rule, strange.description, strange);
  if (text.length > scanUnits) session.note('U0', 'command too long to be checked', whole);
  else readAll(session, payloadOf(text.replaceAll('\u0000', ''), place), reader);
  return finish(text, session, place);
}

function sessionIn({ definitions, unclear }: CommandContext, time: DecisionTime): Session {
  const session = new Session({ time, livesOn: definitions !== undefined || unclear === true });
  for (const definition of definitions ?? []) session.define(definition);
  return session;
}

/** Words that are given to a program as they are, with no shell between. */
export function analyseArgv(argv: readonly string[], place: CommandContext, reader: Reader): Analysis {
  const session = new Session({ time: reader.time });
  const text = argv.join(' ');
  let start = 0;
  const words: Word[] = argv.map((each) => {
    const word = {
      text: each.replaceAll(/[\u0000\u0001]/g, ''),
      raw: each,
      start,
      end: start + each.length,
      literal: true,
      glob: false,
    };
    start = word.end + 1;
    return word;
  });
  const strange = hiddenNote(text);
  if (strange !== null) session.note(strange.rule, strange.description, strange);
  const payload = payloadOf(text, place);
  if (text.length > scanUnits) session.note('U0', 'command too long to be checked', { start: 0, end: text.length });
  else
    session.emit(
      {
        words,
        redirects: [],
        assignments: [],
        start: 0,
        end: text.length,
        background: false,
        around: payload.around,
        stdin: null,
      },
      payload,
    );
  readPiped(session, 0, payload);
  readQueue(session, reader);
  return finish(text, session, place);
}

function payloadOf(text: string, { cwd, stdin = false }: CommandContext): Payload {
  return {
    text,
    span: null,
    around: { scope: { vars: new Map(), cwd }, within: null, calls: [], stage: null, stdin: stdin ? hole : null },
    depth: 0,
    elsewhere: false,
  };
}

function readAll(session: Session, first: Payload, reader: Reader): void {
  readOne(session, first, reader);
  readQueue(session, reader);
}

function readQueue(session: Session, reader: Reader): void {
  do {
    for (let payload = session.next(); payload !== undefined; payload = session.next()) {
      if (reader.time.isOver) return session.noteTooDeep(spanOf(payload));
      readOne(session, payload, reader);
    }
  } while (readScripts(session));
}

const spanOf = ({ span, text }: Payload): { readonly start: number; readonly end: number } =>
  span ?? { start: 0, end: text.length };

function readOne(session: Session, payload: Payload, reader: Reader): void {
  const from = session.commands.length;
  const span = spanOf(payload);
  const tree = treeOf(session, payload.text, { span, reader });
  // What the tree sets is not yet set where the text begins.
  const { scope } = payload.around;
  const fresh = { ...payload, around: { ...payload.around, scope: { vars: new Map(scope.vars), cwd: scope.cwd } } };
  const asShell = tree !== null && readTree(tree, payload, session);
  if (tree === null || !asShell || tree.hasError || tree.cut) {
    if (!readLight(fresh, session)) session.note('U0', 'more commands than can be checked', span);
  }
  readPiped(session, from, payload);
}

function treeOf(
  session: Session,
  text: string,
  { span, reader }: { readonly span: { readonly start: number; readonly end: number }; readonly reader: Reader },
): FlatTree | null {
  const { parse, time } = reader;
  if (parse === null) session.note('U7', 'shell grammar that cannot be loaded', span);
  else if (text.length > fullAnalysisUnits || tooManyMarks(text))
    session.note('U8', 'command too long to be analysed in full', span);
  if (parse === null || text.length > fullAnalysisUnits || tooManyMarks(text)) return null;
  const tree = time.isShort ? null : parsed(text, parse);
  if (tree === null || tree.cut) session.note('U8', 'command too long to be analysed in full', span);
  else if (tree.hasError) session.note('U1', 'command that does not parse', span);
  return tree;
}

function parsed(text: string, parse: Parse): FlatTree | null {
  const tree = parse(text);
  const other = tree?.hasError === true ? withBareBrackets(text) : text;
  const better = other === text ? null : parse(other);
  return better === null || better.cut || better.hasError ? tree : better;
}

function tooManyMarks(text: string): boolean {
  if (text.length < grammarMarks) return false;
  let marks = 0;
  for (let at = 0; at < text.length && marks <= grammarMarks; at += 1)
    if (';&|\n({[`\'"<'.includes(text[at] ?? '')) marks += 1;
  return marks > grammarMarks;
}

function finish(text: string, session: Session, { home, environment = [] }: CommandContext): Analysis {
  if (text.includes('[') && writtenIndex.test(text) && evaluates.test(text))
    session.noteIndex({ start: 0, end: text.length });
  for (const { words, start, end } of session.commands) {
    const name = words[0]?.text ?? '';
    if (disguised(name)) session.note('U4', 'characters that are not shown as they are', { start, end });
    if (name.startsWith('=')) session.note('U2', 'command name that is not known before it runs', { start, end });
  }
  const set = environment.map((each) => ({ ...each, start: 0, end: text.length }));
  if (set.length > 0) session.features.add('assignment');
  const { notes, features, unread } = session;
  const whole = { text, home: home ?? null, notes, features };
  if (set.length === 0) return { ...whole, commands: session.commands, unread };
  const placed = session.commands.map((command) => [command, withVariables(command, set)] as const);
  return {
    ...whole,
    commands: placed.map(([, command]) => command),
    unread: new Set(placed.flatMap(([before, command]) => (unread.has(before) ? [command] : []))),
  };
}

/** An index that holds a command, quoted so that the shell does not run it where it stands: `'x[$(id)]'`, `x['$(id)']`, `x[\$(id)]`. */
const writtenIndex =
  /'[^'\n]{0,256}\w\[[^\]'\n]{0,256}(?:\$\(|`)|\w\['[^'\n]{0,256}(?:\$\(|`)|\w\[[^\]\s]{0,256}\\[$`]/;
/** Expressions and builtins in which the shell evaluates such an index when it comes out of a variable or a name. */
const evaluates =
  /\(\(|\[\[|\$\[|\$\{[^}]{0,64}[:[]|\w\[[^\]]{0,256}\]=|(?:^|[\s;&|({])(?:let|declare|typeset|local|export|readonly|unset|read|mapfile|readarray|printf -v|getopts|wait|test -v|\[ -v)\b/;

function withVariables(command: Simple, set: readonly Assignment[]): Simple {
  return command.words.length === 0 ? command : { ...command, assignments: [...set, ...command.assignments] };
}
