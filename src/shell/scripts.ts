/** Which text a command runs that does not stand in its words: its input, a script, a file that it reads first. */
import { operandsOf } from './options.ts';
import { isCaisson } from './runners.ts';
import { callsOf, sourceOf } from './programs.ts';
import { isInput, isShell, shellCall } from './shells.ts';
import { fileText, inputOf, isNothing, nothing, seen, unseen, type Content, type PipelineContext } from './streams.ts';
import { markerOf } from './xargs.ts';
import { unwrap } from './unwrap.ts';
import type { Unwrapped } from './unwrapped.ts';
import type { Simple, Word } from './types.ts';
import { type Inner, innersOf, wrappers } from './wrappers.ts';

const sources = (program: string | null): boolean => program === 'source' || program === '.';

/** Whether it may run such a text. */
export function runsText(command: Simple): boolean {
  const { program, words } = command;
  if (program === null || program === '') return false;
  return (
    isShell(program) ||
    sources(program) ||
    /^(?:xargs|parallel|script|sudo|ssh|run-parts)$/.test(program) ||
    opensAlone.test(program) ||
    words[0]?.text.includes('/') === true ||
    isCaisson(program) ||
    sourceOf(command) !== null
  );
}

/** For a shell that reads its input, `fed` says whether something else of the text may stand on it. */
export function textFor(command: Simple, known: PipelineContext, fed: boolean): Content {
  const { program, words } = command;
  if (program === 'xargs' || program === 'parallel') return seen(xargsText(command, inputOf(command, known).text));
  const opened = opensShell(command) ? inputOf(command, known).text : null;
  if (opened !== null) return seen(opened);
  if (isShell(program) || sources(program)) return scriptText(command, known, fed);
  if (isCaisson(program ?? '') && words[1]?.text === 'sh') return seen(inputOf(command, known).text);
  const source = sourceOf(command);
  if (source !== null) return codeText(command, source, known);
  const [called] = words;
  return called?.text.includes('/') === true ? fileText(called, command, known) : nothing;
}

function scriptText(command: Simple, known: PipelineContext, fed: boolean): Content {
  const started = startFileOf(command);
  const first = started === null ? nothing : fileText(started, command, known);
  if (!isNothing(first)) return first;
  const script = scriptOf(command);
  if (script === 'text') return nothing;
  if (script !== null && !isInput(script.text)) {
    const content = fileText(script, command, known);
    // A descriptor may be that of the command's own document.
    return content === unseen && command.stdin !== null ? { text: command.stdin, isSeen: false } : content;
  }
  const input = inputOf(command, known);
  return isNothing(input) && fed ? unseen : input;
}

function codeText(command: Simple, source: Word | 'input', known: PipelineContext): Content {
  if (source === 'input') {
    const { text } = inputOf(command, known);
    return seen(text === null ? null : callsOf(command, text));
  }
  const { text, isSeen } = fileCode(command, source, known);
  return { text: text === null ? null : callsOf(command, text), isSeen };
}

const fileCode = (command: Simple, source: Word, known: PipelineContext): Content =>
  filesOf(source)
    .map((file) => fileText(file, command, known))
    .find((content) => !isNothing(content)) ?? nothing;

/** The program that stands in a file, where it is known. */
export function codeOf(command: Simple, known: PipelineContext): string | null {
  const source = isShell(command.program) ? null : sourceOf(command);
  return source === null || source === 'input' ? null : fileCode(command, source, known).text;
}

/** A makefile has several names. */
const filesOf = (source: Word): readonly Word[] =>
  source.raw === '' && source.text.endsWith('/Makefile')
    ? ['GNUmakefile', 'makefile', 'Makefile'].map((name) => ({
        ...source,
        text: source.text.replace(/Makefile$/, name),
      }))
    : asModule.map((ending) => (ending === '' ? source : { ...source, text: source.text + ending }));

/** Python and Node find a module or a directory by names of files in it. */
const asModule = ['', '.py', '.js', '.mjs', '.cjs', '/__main__.py', '/__init__.py', '/index.js'];

/** `bash --rcfile x`: what an interactive shell reads first. */
function startFileOf({ program, words }: Simple): Word | null {
  if (!isShell(program)) return null;
  const at = words.findIndex(({ text }) => /^--(?:rcfile|init-file)$/.test(text));
  return at < 0 ? null : (words[at + 1] ?? null);
}

const runsNothing = (inner: Unwrapped | null): boolean =>
  inner === null || inner.commands.length + (inner.texts?.length ?? 0) === 0;

/** Programs that open a shell where they are given no command. */
const opensAlone = /^(?:su|newgrp|sg|runuser|unshare|nsenter|chroot|setarch|linux(?:32|64)|i386|x86_64)$/;

/** Logs in somewhere, or as somebody, and names no command: the shell there reads its input. */
function opensShell({ program, words, wraps }: Simple): boolean {
  if (program === 'script') return unwrap(program, words) === null;
  if (program === 'sudo') return !wraps && words.some(({ text }) => /^-[a-zA-Z]*[si]$|^--(?:shell|login)$/.test(text));
  return (program === 'ssh' || opensAlone.test(program ?? '')) && runsNothing(unwrap(program ?? '', words));
}

/** `null`: its input. */
function scriptOf({ program, words }: Simple): Word | 'text' | null {
  if (!isShell(program)) return words[1] ?? null;
  const call = shellCall(words.slice(1));
  if (call.kind === 'input') return null;
  return call.kind === 'script' ? call.script : 'text';
}

/** The directory whose files it runs. */
export const partsOf = ({ program, words }: Simple): Word | null =>
  program === 'run-parts' ? (operandsOf(words.slice(1)).at(-1) ?? null) : null;

function xargsText({ program, words }: Simple, input: string | null): string | null {
  const inners = input === null ? [] : innersOf(words, wrappers.get(program ?? '') ?? {});
  // Without words of its own, each line is a command.
  if (program === 'parallel' && inners.length === 0) return input;
  if (inners.length === 0 || input === null) return null;
  return inners.map((inner) => fedText(inner, { program, words }, input)).join('\n');
}

function fedText(inner: Inner, { program, words }: Pick<Simple, 'program' | 'words'>, input: string): string {
  const options = words.slice(1, words.length - inner.words.length);
  const own = inner.words.map(({ text }) => text);
  const marker = markerOf(options) ?? (program === 'parallel' ? '{}' : null);
  if (marker !== null && own.some((text) => text.includes(marker)))
    return input
      .split('\n', maxLines)
      .filter((line) => line !== '')
      .map((line) => own.map((text) => quoted(text.replaceAll(marker, () => line))).join(' '))
      .join('\n');
  const isWhole = options.some(({ text }) => /^-[a-zA-Z]*0|^--null$|^-d/.test(text));
  const fed = isWhole ? input.split(/[\n\0]/) : input.split(/[\s\0]+/);
  return [...own, ...fed.filter((text) => text !== '')].map(quoted).join(' ');
}

/** Quotes a word so that a shell reads it back, and still expands paths and the home directory. */
const quoted = (text: string): string =>
  /^[\w./*?~=+:,\u0001-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

const maxLines = 64;
