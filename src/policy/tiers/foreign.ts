/** Finds the source of text that a command might run: fetched or decoded further up its pipeline, or downloaded before. */
import { operandsOf } from '../../shell/options.ts';
import { baseName, resolvePath } from '../../shell/paths.ts';
import { isFetcher, isInterpreter, isShell } from '../../shell/shells.ts';
import type { Analysis, Simple, Word } from '../../shell/types.ts';
import { writesOf } from '../../shell/writes.ts';

const writers = /^(?:echo|printf|cat)$/;
const stagesBack = 16;

/** What such a stage passes on can be read in the command, or in a file that could be run as well. */
const plain = /^(?:echo|printf|cat|tee|true|:|yes)$/;

interface Foreign {
  readonly fetchers: readonly Simple[];
  readonly decoders: readonly Simple[];
  /** Files that a decoder writes: absolute path, and how many commands stand before the decoder. */
  readonly decodedFiles: Map<string, number>;
  /** First stage of each pipeline that is not plain. */
  readonly unseen: Map<object, number>;
  /** First stage of each pipeline that fetches; in `decoded`, the first that decodes. */
  readonly fetched: Map<object, number>;
  readonly decoded: Map<object, number>;
  /** Downloaded files: absolute path, and how many commands stand before the one that downloads it. */
  readonly files: Map<string, number>;
  /** Commands that write texts which stand in the command itself (`echo`, `printf`, `cat`), by pipeline and stage. */
  readonly written: Map<object, Map<number, Simple>>;
}

/** Once for each analysis: many commands ask, and there may be tens of thousands of them. */
const known = new WeakMap<Analysis, Foreign>();

function foreignIn(analysis: Analysis): Foreign {
  const found = known.get(analysis) ?? find(analysis);
  known.set(analysis, found);
  return found;
}

function find({ commands }: Analysis): Foreign {
  const fetchers: Simple[] = [];
  const decoders: Simple[] = [];
  const foreign: Foreign = { fetchers, decoders, decodedFiles: new Map(), unseen: new Map(), fetched: new Map(), decoded: new Map(), files: new Map(), written: new Map() };
  for (const [at, command] of commands.entries()) {
    const fetches = isFetcher(command.program);
    if (fetches) fetchers.push(command);
    if (decodes(command)) decoders.push(command);
    if (decodes(command)) for (const { path } of writesOf(command)) if (path !== null) foreign.decodedFiles.set(path, at);
    if (fetches) for (const path of downloadedBy(command)) if (!foreign.files.has(path)) foreign.files.set(path, at);
    if (command.stage === null) continue;
    if (fetches) keepFirst(foreign.fetched, command.stage);
    if (decodes(command)) keepFirst(foreign.decoded, command.stage);
    if (!command.wraps && !plain.test(command.program ?? 'x') && command.program !== '') keepFirst(foreign.unseen, command.stage);
    if (writers.test(command.program ?? '')) keepWriter(foreign.written, command.stage, command);
  }
  return foreign;
}

function keepFirst(stages: Map<object, number>, { pipeline, index }: NonNullable<Simple['stage']>): void {
  stages.set(pipeline, Math.min(index, stages.get(pipeline) ?? index));
}

function keepWriter(written: Foreign['written'], { pipeline, index }: NonNullable<Simple['stage']>, command: Simple): void {
  const stages = written.get(pipeline) ?? new Map<number, Simple>();
  written.set(pipeline, stages.set(index, command));
}

/** What a few stages before it write, whatever stands between. */
export function writersBefore({ stage }: Simple, analysis: Analysis): readonly Simple[] {
  const stages = stage === null ? undefined : foreignIn(analysis).written.get(stage.pipeline);
  if (stages === undefined || stage === null) return [];
  return Array.from({ length: stagesBack }, (_, back) => stages.get(stage.index - 1 - back)).filter((each) => each !== undefined);
}

const isAfter = ({ stage }: Simple, stages: ReadonlyMap<object, number>): boolean => stage !== null && (stages.get(stage.pipeline) ?? stage.index) < stage.index;

/** Whether a stage before it fetches something. */
export const followsFetch = (command: Simple, analysis: Analysis): boolean => command.stage !== null && isAfter(command, foreignIn(analysis).fetched);
export const followsDecode = (command: Simple, analysis: Analysis): boolean => command.stage !== null && isAfter(command, foreignIn(analysis).decoded);

export const comesUnseen = (command: Simple, analysis: Analysis): boolean => command.stage !== null && isAfter(command, foreignIn(analysis).unseen);

/** Whether what it is given is not only the name of a file. */
export const writesText = ({ program, stdin }: Simple): boolean => program !== 'cat' || stdin !== null;

export const fetchesWithin = (command: Simple, analysis: Analysis): boolean => standsWithin(command, foreignIn(analysis).fetchers);
export const decodesWithin = (command: Simple, analysis: Analysis): boolean => standsWithin(command, foreignIn(analysis).decoders);

/** Whether its very name is decoded. */
export const isDecoded = ({ words }: Simple, analysis: Analysis): boolean => substitutes(words.slice(0, 1), foreignIn(analysis).decoders);

/** Whether one of them is written in a substitution in its words or redirections. */
function standsWithin({ words, redirects }: Simple, others: readonly Simple[]): boolean {
  return others.length > 0 && substitutes([...words.slice(1), ...redirects.map(({ target }) => target)], others);
}

function substitutes(words: readonly Word[], others: readonly Simple[]): boolean {
  const substituted = words.filter(({ raw }) => /<\(|\$\(|`/.test(raw));
  return substituted.some((word) => others.some(({ start, end }) => word.start <= start && end <= word.end));
}

/** Whether it runs a file that a command before it downloads: by its path, or as a script. */
export const runsDownload = (command: Simple, analysis: Analysis): boolean => runsFile(command, analysis, foreignIn(analysis).files);
export const runsDecoded = (command: Simple, analysis: Analysis): boolean => runsFile(command, analysis, foreignIn(analysis).decodedFiles);

function runsFile(command: Simple, { commands }: Analysis, files: ReadonlyMap<string, number>): boolean {
  if (files.size === 0) return false;
  const [called, ...args] = command.words;
  const takesScript = isShell(command.program) || isInterpreter(command.program) || command.program === 'source' || command.program === '.';
  const script = takesScript ? args.find(({ text }) => !text.startsWith('-')) : called?.text.includes('/') === true ? called : undefined;
  const path = script === undefined ? null : resolvePath(script.text, command.cwd);
  const written = path === null ? undefined : files.get(path);
  return written !== undefined && written < commands.indexOf(command);
}

function decodes({ program, words }: Simple): boolean {
  const args = words.slice(1).map(({ text }) => text);
  if (/^base(?:64|32|16|nc)$/.test(program ?? '')) return args.some((arg) => /^-[a-zA-Z]*[dD]|^--d/.test(arg));
  if (program === 'xxd') return args.some((arg) => /^-[a-z]*r/.test(arg));
  if (program === 'openssl') return args.includes('-d') || args.includes('-decrypt');
  return /^(?:tr|rev|uudecode|gunzip|zcat|xzcat|bzcat)$/.test(program ?? '');
}

/** Files that a fetcher leaves: named by an option or a redirection, or after the last part of the address. */
function downloadedBy(command: Simple): readonly string[] {
  const args = command.words.slice(1);
  const keepsName = command.program === 'wget' ? !args.some(({ text }) => /^-[a-zA-Z]*O|^--output-d/.test(text)) : args.some(({ text }) => /^-[a-zA-Z]*O|^--remote-name/.test(text));
  const named = keepsName ? operandsOf(args).map(({ text }) => resolvePath(baseName(text.replace(/[?#].*/, '')), command.cwd)) : [];
  return [...writesOf(command).map(({ path }) => path), ...named].filter((path) => path !== null);
}
