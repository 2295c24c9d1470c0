/** The analysis of one command while it is made: simple commands as they are met, and texts still to be read. */
import { payloadDepth, payloads, payloadUnits, wrappedWords, wrapperDepth } from './limits.ts';
import type { DecisionTime } from './time.ts';
import { further } from './machines.ts';
import { baseName } from './paths.ts';
import { writable } from './quoting.ts';
import {
  aliasesIn,
  movesDirectory,
  positionals,
  deferredCommands,
  runInNames,
  runsIndex,
  runsSubscript,
  setsKnown,
  setsUnknown,
  shifted,
  splitsWords,
} from './effects.ts';
import { unwrap } from './unwrap.ts';
import type { Unwrapped, Text } from './unwrapped.ts';
import {
  keepValue,
  simpleOf,
  type MutableScope,
  type CommandParts,
  type Payload,
  type Run,
  type Step,
  type Around,
} from './parts.ts';
import { hole, wordBreak, type Definition, type Elsewhere, type Feature, type Note, type Simple } from './types.ts';

export class Session {
  readonly commands: Simple[] = [];
  /** What stands in the stages of pipelines, also of those around a text that is read later. */
  readonly stages = new Map<object, Map<number, Simple[]>>();
  readonly notes: Note[] = [];
  readonly features = new Set<Feature>();
  /** Commands that may run a text which does not stand in their words. */
  readonly runs: Run[] = [];
  /** Those that run one which the text makes, and which is not known before. */
  readonly unread = new Set<Simple>();
  /** Whether something else of the text may stand on the input of a shell: `exec <x`, `coproc`. */
  isFed = false;
  readonly #todo: Payload[] = [];
  readonly #noted = new Set<string>();
  /** A name may get several meanings; which one holds at a call is not asked. */
  readonly #definitions = new Map<string, readonly Definition[]>();
  readonly #livesOn: boolean;
  /** Whether words are parted at other characters than blanks. */
  #splits = false;
  #followed = 0;
  #payloads = 0;
  #units = 0;
  #wrapped = 0;

  readonly time: DecisionTime;

  /** `livesOn`: the shell that runs it is asked about itself later. */
  constructor({ time, livesOn = false }: { readonly time: DecisionTime; readonly livesOn?: boolean }) {
    this.time = time;
    this.#livesOn = livesOn;
  }

  /** When all texts are read, those that calls of functions and aliases lead to. */
  next(): Payload | undefined {
    if (this.#todo.length === 0) this.#follow();
    return this.#todo.shift();
  }

  define({ kind, name, text }: Definition): void {
    this.#definitions.set(name, [...(this.#definitions.get(name) ?? []), { kind, name, text }].slice(-maxMeanings));
  }

  /** Once for each kind: the first place is enough. */
  note(rule: string, description: string, span: { readonly start: number; readonly end: number }): void {
    if (this.#noted.has(rule)) return;
    this.#noted.add(rule);
    this.notes.push({ rule, description, start: span.start, end: span.end });
  }

  defineFunction(name: string, text: string, span: { readonly start: number; readonly end: number }): void {
    this.define({ kind: 'function', name, text });
    if (this.#livesOn && asksWith.test(name)) this.note('U9', 'function that hides what the session has defined', span);
  }

  /** Commands of a reading that may not be the shell's: of names that are not known, nothing is asked. */
  adopt(other: Session): void {
    for (const command of other.commands)
      if (command.program !== null) this.commands.push({ ...command, possible: true });
  }

  /** Takes a command in, and everything that it runs in turn. */
  emit(parts: CommandParts, payload: Payload): void {
    if (parts.words.length === 0 && parts.redirects.length === 0 && parts.assignments.length === 0) return;
    // The command's own text is read to its end, since what is refused must be seen in it.
    if (payload.depth > 0 && this.time.isOver) this.noteTooDeep(parts);
    else this.#emit(parts, payload);
  }

  #emit(parts: CommandParts, payload: Payload): void {
    const todo: Step[] = [
      {
        words: parts.words,
        assignments: parts.assignments,
        redirects: parts.redirects,
        elsewhere: payload.elsewhere,
        steps: 0,
      },
    ];
    for (let step = todo.pop(); step !== undefined; step = todo.pop()) {
      if (step.steps > wrapperDepth || this.#wrapped > wrappedWords) {
        this.note('U3', 'wrappers nested too deep to be looked through', parts);
        break;
      }
      if (step.steps > 0) this.#wrapped += wordsOfCommand + step.words.length;
      const simple = simpleOf(step, parts, payload.depth);
      for (const alias of aliasesIn(simple)) this.define(alias);
      for (const text of [...deferredCommands(simple), ...runInNames(simple)])
        this.read(
          { text, word: { text, raw: text, start: parts.start, end: parts.end, literal: false, glob: false } },
          { ...payload, cwd: simple.cwd, around: parts.around },
        );
      const inner = simple.program === null || simple.program === '' ? null : unwrap(simple.program, step.words);
      this.#take(inner === null ? simple : { ...simple, wraps: inner.commands.length > 0 });
      if (simple.program === null || (this.#splits && isExpanded(simple)))
        this.note('U2', 'command name that is not known before it runs', parts);
      if (inner === null) this.#affect(simple, parts.around.scope);
      else for (const run of this.#within(inner, step, { simple, parts, payload })) todo.push(run);
    }
  }

  #take(command: Simple): void {
    this.commands.push(command);
    const { stage, program } = command;
    if (program === 'coproc' || (program === 'exec' && !command.wraps && readsOther(command))) this.isFed = true;
    if (stage === null || command.wraps) return;
    const pipeline = this.stages.get(stage.pipeline) ?? new Map<number, Simple[]>();
    this.stages.set(stage.pipeline, pipeline);
    const standing = pipeline.get(stage.index);
    if (standing === undefined) pipeline.set(stage.index, [command]);
    else standing.push(command);
  }

  /** Commands that a wrapper runs; texts go to the end of the queue. */
  #within(
    inner: Unwrapped,
    step: Step,
    { simple, parts, payload }: { readonly simple: Simple; readonly parts: CommandParts; readonly payload: Payload },
  ): readonly Step[] {
    const elsewhere = further(step.elsewhere, inner.elsewhere);
    // What is read from the command's input is read by those that it runs.
    const around = simple.stdin === null ? parts.around : { ...parts.around, stdin: simple.stdin };
    for (const text of inner.texts ?? [])
      this.read(text, {
        cwd: simple.cwd,
        around,
        depth: payload.depth,
        span: payload.span,
        elsewhere: further(elsewhere, text.elsewhere),
      });
    const assignments = (inner.assignments ?? []).map(({ text, start, end }) => ({
      name: text.slice(0, text.indexOf('=')),
      value: text.slice(text.indexOf('=') + 1),
      start,
      end,
    }));
    // Its input is theirs; what it writes has been seen.
    const redirects = step.redirects.filter(({ operator }) => operator.startsWith('<'));
    return inner.commands.map((words) => ({ words, assignments, redirects, elsewhere, steps: step.steps + 1 }));
  }

  /** Queues a text that a command hands to a shell. */
  read(
    text: Text,
    from: {
      readonly cwd: string | null;
      readonly around: Around;
      readonly depth: number;
      readonly span: Payload['span'];
      readonly elsewhere: Elsewhere;
    },
  ): void {
    this.#payloads += 1;
    this.#units += text.text.length;
    const span = from.span ?? { start: text.word.start, end: text.word.end };
    if (from.depth >= payloadDepth || this.#payloads > payloads || this.#units > payloadUnits) {
      this.noteTooDeep(span);
      return;
    }
    if (text.positional?.some((word) => runsIndex(word.text)) === true) this.noteIndex(span);
    const vars = new Map(from.around.scope.vars);
    for (const [index, word] of (text.positional ?? []).slice(0, 10).entries()) vars.set(String(index), word.text);
    if (text.positional !== undefined)
      vars.set(
        '@',
        text.positional
          .slice(1)
          .map((word) => word.text)
          .join(wordBreak),
      );
    this.#todo.push({
      text: writable(text.text),
      span,
      around: { ...from.around, scope: { vars, cwd: from.cwd }, stage: from.around.stage },
      depth: from.depth + 1,
      elsewhere: from.elsewhere,
    });
  }

  #affect(simple: Simple, scope: MutableScope): void {
    const defined = this.#meaningsOf(simple);
    if (simple.program === '' || /^(?:export|declare|typeset|local|readonly)$/.test(simple.program ?? ''))
      this.#splits ||= simple.assignments.some(splitsWords);
    const cwd = defined.some(({ text }) => text === null || movesSomewhere.test(text)) ? null : movesDirectory(simple);
    if (cwd !== undefined) scope.cwd = cwd;
    if (runsSubscript(simple)) this.noteIndex(simple);
    for (const name of setsUnknown(simple)) scope.vars.set(name, hole);
    const known = [...setsKnown(simple), ...this.#shifted(simple, scope)];
    for (const [name, value] of known) keepValue(scope, name, value);
    if ([...known.map(([, value]) => value), ...simple.assignments.map(({ value }) => value)].some(runsIndex))
      this.noteIndex(simple);
  }

  noteTooDeep(span: { readonly start: number; readonly end: number }): void {
    this.note('U3', 'commands nested too deep to be looked through', span);
  }

  noteIndex(span: { readonly start: number; readonly end: number }): void {
    this.note('U5', 'expansion that runs the text of a variable', span);
  }

  #shifted(simple: Simple, { vars }: MutableScope): ReturnType<typeof setsKnown> {
    const rest = shifted(simple, vars.get('@'));
    if (rest === undefined) return [];
    for (const name of vars.keys()) if (/^[1-9]$/.test(name)) vars.set(name, hole);
    return rest === null ? [['@', hole]] : positionals(rest.split(wordBreak));
  }

  #meaningsOf({ words }: Simple): readonly Definition[] {
    if (this.#definitions.size === 0) return [];
    const name = words[0]?.text ?? '';
    const other = name.includes('/') ? this.#definitions.get(`./${baseName(name)}`) : undefined;
    return this.#definitions.get(name) ?? other ?? [];
  }

  #follow(): void {
    if (this.#definitions.size === 0) return;
    for (; this.#followed < this.commands.length; this.#followed += 1) {
      const command = this.commands[this.#followed];
      if (command !== undefined) for (const meaning of this.#meaningsOf(command)) this.#call(command, meaning);
    }
  }

  /** Words of a call. The shell expands the next one as well, where an alias ends with a blank. */
  #behindAlias(text: string, [next, ...rest]: Simple['words']): readonly string[] {
    if (next === undefined) return [];
    const other = /\s$/.test(text) ? this.#definitions.get(next.text)?.at(-1) : undefined;
    return [other?.kind === 'alias' && other.text !== null ? other.text : next.raw, ...rest.map(({ raw }) => raw)];
  }

  /** Reads what a call runs. A function that calls itself is read once. */
  #call(command: Simple, { kind, name, text }: Definition): void {
    const { words, calls, cwd, depth, start, end, elsewhere } = command;
    if (calls.includes(name)) return;
    this.features.add('function');
    if (text === null) return this.note('U9', 'function of the session whose text is not known', command);
    const [word = { text: name, raw: name, start, end, literal: true, glob: false }, ...rest] = words;
    const run =
      kind === 'alias'
        ? { text: [text, ...this.#behindAlias(text, rest)].join(' '), word }
        : { text, word, positional: words };
    const scope = { vars: new Map<string, string>(), cwd };
    const around = { scope, within: null, calls: [...calls, name], stage: command.stage, stdin: command.stdin };
    this.read(run, { cwd, around, depth, span: { start, end }, elsewhere });
  }
}

/** Its name comes out of a variable, or its text does. */
const isExpanded = ({ program, words }: Simple): boolean =>
  words.slice(0, program === 'eval' ? 2 : 1).some(({ raw }) => /^[^"']*[$`]/.test(raw));

const readsOther = ({ stdin, redirects }: Simple): boolean =>
  stdin !== null || redirects.some(({ operator }) => operator.startsWith('<'));

const maxMeanings = 4;
/** A command takes as long as so many words of one. */
const wordsOfCommand = 8;
/** What a session's shell is asked about itself with. */
const asksWith = /^(?:_cz_\w*|unset|eval|set|read|command|builtin|declare|alias|type|printf|pwd)$/;
const movesSomewhere = /\b(?:cd|chdir|pushd|popd)\b/;
