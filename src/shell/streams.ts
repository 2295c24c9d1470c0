/** What commands read and write, where that is written down in the text: in their words, in documents, in stages before them. */
import { operandsOf } from './options.ts';
import { outputOf } from './output.ts';
import { decodeEscapes } from './quoting.ts';
import { hole, type Simple, type Stage, type Word } from './types.ts';
import { heldIn, resolveWord, wordsOfSimple } from './words.ts';

/** A text, as far as it is known before the command runs. */
export interface Content {
  /** `null`: nothing is known of it. */
  readonly text: string | null;
  /** Whether the command makes no part of it that cannot be read here. What was there before counts as seen. */
  readonly isSeen: boolean;
}

/** There is none, or it was there before. */
export const nothing: Content = { text: null, isSeen: true };
/** A command produces this text, and its content is not known before the command runs. */
export const unseen: Content = { text: null, isSeen: false };
export const isNothing = ({ text, isSeen }: Content): boolean => text === null && isSeen;
export const seen = (text: string | null): Content => (text === null ? nothing : { text, isSeen: true });

export type Stages = ReadonlyMap<object, ReadonlyMap<number, readonly Simple[]>>;

/** What is known of the commands around one. */
export interface PipelineContext {
  readonly stages: Stages;
  /** What the command has left in a file before `reader` opens it; `null`: it writes no such file. */
  readonly fileAt: (file: Word, reader: Simple) => Content | null;
}

/** What stands on its input. */
export function inputOf(command: Simple, known: PipelineContext): Content {
  if (command.stdin !== null) return seen(command.stdin);
  const from = command.redirects.findLast(({ operator }) => operator.startsWith('<'));
  if (from === undefined) return stageInput(command.stage, known);
  return from.operator === '<&' ? unseen : fileText(from.target, command, known);
}

/** A descriptor that was opened before; the input of the command itself is none. */
const descriptor = /^\/(?:dev|proc\/(?:self|thread-self|\d+|\0))\/fd\/(?!0$)/;

/** What stands in a file that a command opens: also in `<(echo ...)` and `/dev/fd/3`. */
export function fileText(file: Word, reader: Simple, known: PipelineContext): Content {
  if (/^<\(/.test(file.raw)) return substituted(file.raw, reader, known);
  return descriptor.test(file.text) ? unseen : (known.fileAt(file, reader) ?? nothing);
}

function substituted(raw: string, reader: Simple, known: PipelineContext): Content {
  const inside = /^<\(([^]*)\)$/.exec(raw)?.[1] ?? '';
  const document = heldIn(inside);
  if (document !== null) return seen(document);
  const { cwd, words } = reader;
  const at = { start: words[0]?.start ?? 0, end: words[0]?.end ?? 0, nested: 2 };
  const resolved = (wordsOfSimple(inside) ?? []).flatMap((each) => resolveWord(each, at, { vars: new Map(), cwd }));
  if (resolved.length === 0) return unseen;
  const text = outputOf(
    resolved.map((word) => word.text),
    cwd,
  );
  if (text !== null) return seen(text);
  return resolved[0]?.text === 'cat' && !resolved.some((word) => word.raw.startsWith('<('))
    ? shown({ ...reader, words: resolved }, known)
    : unseen;
}

const maxStages = 64;

/** What the stages before write, as far as it is the text of an echo, passed on or decoded. */
function stageInput(stage: Stage | null, known: PipelineContext): Content {
  if (stage === null || stage.index === 0) return nothing;
  const later: ((text: string) => string)[] = [];
  const through = ({ text, isSeen }: Content): Content => ({
    text: text === null ? null : later.reduceRight((value, each) => each(value), text),
    isSeen,
  });
  for (let index = stage.index - 1; index >= Math.max(0, stage.index - maxStages); index -= 1) {
    const commands = known.stages.get(stage.pipeline)?.get(index) ?? [];
    const [command, second] = commands;
    if (command === undefined) return unseen;
    // Which of them write, and how often, is not known before.
    if (second !== undefined) return through({ text: allWritten(commands, known), isSeen: false });
    const written = ownOutput(command, known);
    if (written !== null) return through(written);
    const change = passes(command);
    if (change === null) return unseen;
    later.push(change);
    if (index === 0 || command.stdin !== null || command.redirects.some(({ operator }) => operator.startsWith('<')))
      return through(inputOf({ ...command, stage: null }, known));
  }
  return unseen;
}

/** What the commands of one stage write, one after the other. */
function allWritten(commands: readonly Simple[], known: PipelineContext): string | null {
  const texts = commands.filter((command) => !isQuiet(command)).map((command) => ownOutput(command, known)?.text);
  return texts.some((text) => text === undefined || text === null) ? null : texts.join('');
}

const isQuiet = ({ program }: Simple): boolean =>
  /^(?:|true|false|:|test|\[|\[\[|cd|break|continue|read)$/.test(program ?? 'x');

/** What a command writes to its output. */
export function outputTo(command: Simple, known: PipelineContext): Content {
  const own = ownOutput(command, known);
  if (own !== null) return own;
  const change = passes(command);
  if (change === null) return unseen;
  const { text, isSeen } = inputOf(command, known);
  return { text: text === null ? null : change(text), isSeen };
}

/** Output that the command writes itself; `null`: it writes no text of its own. */
function ownOutput(command: Simple, known: PipelineContext): Content | null {
  const text = writtenBy(command);
  if (text !== null) return seen(text);
  return command.program === 'cat' && operandsOf(command.words.slice(1)).some((word) => word.text !== '-')
    ? shown(command, known)
    : null;
}

/** `cat x y`, of files that the command has written. */
function shown(command: Simple, known: PipelineContext): Content {
  const parts = operandsOf(command.words.slice(1)).map((word) =>
    word.text === '-' ? inputOf(command, known) : fileText(word, command, known),
  );
  const texts = parts.flatMap(({ text }) => text ?? []);
  return { text: texts.length === 0 ? null : texts.join(''), isSeen: parts.every(({ isSeen }) => isSeen) };
}

function writtenBy({ program, words, cwd, stdin }: Simple): string | null {
  if (program === 'cat' && words.length === 1) return stdin;
  if (program === 'true' || program === ':') return '';
  const args = words.slice(1).map((word) => word.text);
  if (program === 'yes' && args.length > 0) return `${args.join(' ')}\n`;
  const text = program === 'echo' || program === 'printf' ? outputOf([program, ...args], cwd) : null;
  if (program !== 'echo') return text;
  const written = text ?? `${args.join(' ').replaceAll(hole, '${__}')}\n`;
  // The echo of dash reads escapes without an option, that of bash does not.
  return written.includes('\\') ? written + decodeEscapes(written) : written;
}

/** What a filter makes of its input; `null`: the output of the program is not certain. */
function passes({ program, words }: Simple): ((text: string) => string) | null {
  if (program === 'tee' || (program === 'cat' && operandsOf(words.slice(1)).every(({ text }) => text === '-')))
    return (text) => text;
  if (program === 'rev')
    return (text) =>
      text
        .split('\n')
        .map((line) => Array.from(line).toReversed().join(''))
        .join('\n');
  if (program === 'xxd')
    return words.some(({ text }) => /^-[a-z]*r/.test(text)) && words.some(({ text }) => /^-[a-z]*p/.test(text))
      ? (text) => Buffer.from(text.replace(/\s/g, ''), 'hex').toString('utf8')
      : null;
  if (program === 'openssl')
    return words.some(({ text }) => /^-?base64$/.test(text)) && words.some(({ text }) => text === '-d')
      ? (text) => Buffer.from(text, 'base64').toString('utf8')
      : null;
  const decodes = program === 'base64' && words.some(({ text }) => /^(?:-d|-D|-di|--decode|--d\w*)$/.test(text));
  return decodes ? (text) => Buffer.from(text, 'base64').toString('utf8') : null;
}
