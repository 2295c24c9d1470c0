/** Text that reaches a shell through a pipe, a here-document or a process substitution, where it is written in the command. */
import { operandsOf, wordsAfter } from './options.ts';
import { outputOf } from './output.ts';
import { decodeEscapes } from './quoting.ts';
import { isCaisson } from './runners.ts';
import type { Payload } from './parts.ts';
import type { Session } from './session.ts';
import { laterInput } from '../unheld.ts';
import { callsOf, sourceOf } from './programs.ts';
import { isInput, isShell, shellCall } from './shells.ts';
import { resolvePath } from './paths.ts';
import { markerOf } from './xargs.ts';
import { unwrap } from './unwrap.ts';
import { hole, type Simple, type Stage, type Word } from './types.ts';
import { heldIn, resolveWord, wordsOfSimple } from './words.ts';
import { type Inner, innersOf, wrappers } from './wrappers.ts';

/** `from`: the first command of the session that belongs to this payload. */
export function readPiped(session: Session, from: number, payload: Payload): void {
  const commands = session.commands.slice(from);
  const { stages } = session;
  const files = writtenFiles(commands, stages);
  for (const command of commands) {
    const text = textFor(command, { stages, files }) ?? writtenTo(files, command);
    if (text === hole) session.note(laterInput.rule, laterInput.description, command);
    else if (text !== null)
      session.read(
        { text, word: spanOf(command) },
        {
          cwd: command.cwd,
          around: { ...payload.around, stdin: null, stage: null },
          depth: payload.depth,
          span: payload.span,
          elsewhere: command.elsewhere,
        },
      );
  }
}

type Stages = ReadonlyMap<object, ReadonlyMap<number, readonly Simple[]>>;

interface Known {
  readonly stages: Stages;
  readonly files: Files;
}

function textFor(command: Simple, known: Known): string | null {
  const input = (): string | null => command.stdin ?? redirected(command, known.files) ?? inputOf(command.stage, known);
  if (command.program === 'xargs' || command.program === 'parallel') return xargsText(command, input());
  const opened = opensShell(command) ? input() : null;
  if (opened !== null) return opened;
  if (isShell(command.program) || command.program === 'source' || command.program === '.') {
    const started = startFileOf(command);
    const first =
      started === null ? null : (substituted(started.raw, command) ?? fileAt(started, command, known.files));
    if (first !== null) return first;
    const script = scriptOf(command);
    return script === null || isInput(script.text) ? input() : substituted(script.raw, command);
  }
  const asksShell = isCaisson(command.program ?? '') && command.words[1]?.text === 'sh';
  if (asksShell) return input();
  const source = sourceOf(command);
  if (source === null) return null;
  const code =
    source === 'input' ? input() : (substituted(source.raw, command) ?? fileAt(source, command, known.files));
  return code === null ? null : callsOf(command, code);
}

/** `sh < x`, of a file that the command has written, and `sh < <(echo ...)`. */
function redirected(command: Simple, files: Files): string | null {
  const from = command.redirects.findLast(({ operator }) => operator === '<');
  return from === undefined ? null : (substituted(from.target.raw, command) ?? fileAt(from.target, command, files));
}

/** What the command has left in a file before. */
function fileAt({ text }: Word, { cwd, start, words }: Simple, files: Files): string | null {
  const file = files.get(resolvePath(text, cwd) ?? '');
  // With a redirection behind a list, the list begins where its last command is said to.
  return file === undefined || file.at > (words[0]?.start ?? start) ? null : file.text;
}

/** `bash --rcfile x`: what an interactive shell reads first. */
function startFileOf({ program, words }: Simple): Word | null {
  if (!isShell(program)) return null;
  const at = words.findIndex(({ text }) => /^--(?:rcfile|init-file)$/.test(text));
  return at < 0 ? null : (words[at + 1] ?? null);
}

/** Logs in somewhere, or as somebody, and names no command: the shell there reads its input. */
function opensShell({ program, words, wraps }: Simple): boolean {
  if (program === 'script') return unwrap(program, words) === null;
  if (program === 'sudo') return !wraps && words.some(({ text }) => /^-[a-zA-Z]*[si]$|^--(?:shell|login)$/.test(text));
  return (program === 'su' || program === 'ssh' || program === 'newgrp') && unwrap(program, words) === null;
}

interface File {
  readonly text: string;
  /** Where in the text of the command it is written. */
  readonly at: number;
}

/** What commands leave in files, where that is written down in them: `echo ... > x.sh`. Only if a script is run at all. */
type Files = ReadonlyMap<string, File>;

function writtenFiles(commands: readonly Simple[], stages: Stages): Files {
  const files = new Map<string, File>();
  if (
    !commands.some((command) => isShell(command.program) || calledFile(command) !== null || sourceOf(command) !== null)
  )
    return files;
  for (const command of commands) {
    const tees = command.program === 'tee' ? operandsOf(command.words.slice(1)) : [];
    const targets = [...command.redirects.filter(({ writes }) => writes).map(({ target }) => target), ...tees];
    const passed = tees.length > 0 || passes(command) !== null;
    const text =
      targets.length === 0
        ? null
        : (writtenBy(command) ??
          (passed ? changed(command, command.stdin ?? inputOf(command.stage, { stages, files })) : null));
    copyFile(command, files);
    for (const target of text === null ? [] : targets) {
      const path = resolvePath(target.text, command.cwd);
      if (path !== null) files.set(path, { text: `${files.get(path)?.text ?? ''}${text}\n`, at: command.start });
    }
  }
  return files;
}

/** `mv a b`, `cp a b`, `ln a b`: what was written to one is then in the other as well. */
function copyFile({ program, words, cwd, start }: Simple, files: Map<string, File>): void {
  if (!/^(?:mv|cp|ln|install|rsync)$/.test(program ?? '')) return;
  const options = { short: program === 'install' ? 'mogS' : 'S', long: ['--mode', '--owner', '--group', '--suffix'] };
  const [source, target] = wordsAfter(words.slice(1), options);
  const from = source === undefined ? null : resolvePath(source.text, cwd);
  const written = from === null ? undefined : files.get(from);
  const to = target === undefined ? null : resolvePath(target.text, cwd);
  if (written === undefined || to === null || from === null) return;
  const file = { text: written.text, at: start };
  files.set(to, file);
  files.set(`${to}/${from.slice(from.lastIndexOf('/') + 1)}`, file);
}

/** What a filter makes of it. */
const changed = (command: Simple, text: string | null): string | null =>
  text === null ? null : (passes(command)?.(text) ?? text);

/** The file that a command runs as a script of a shell. */
function calledFile(command: Simple): Word | null {
  const { program, words } = command;
  const [called, first] = words;
  if (isShell(program)) {
    const call = shellCall(words.slice(1));
    return call.kind === 'script' ? call.script : null;
  }
  if (program === 'source' || program === '.') return first ?? null;
  return called?.text.includes('/') === true ? called : null;
}

function writtenTo(files: Files, command: Simple): string | null {
  const called = files.size === 0 ? null : calledFile(command);
  return called === null ? null : fileAt(called, command, files);
}

function scriptOf({ program, words }: Simple): { readonly text: string; readonly raw: string } | null {
  if (!isShell(program)) return words[1] ?? null;
  const call = shellCall(words.slice(1));
  if (call.kind === 'input') return null;
  return call.kind === 'script' ? call.script : { text: 'x', raw: '' };
}

/** `bash <(echo ...)` */
function substituted(raw: string, { cwd, words }: Simple): string | null {
  const inside = /^<\(([^]*)\)$/.exec(raw)?.[1];
  const document = inside === undefined ? null : heldIn(inside);
  if (document !== null) return document;
  const raws = inside === undefined ? null : wordsOfSimple(inside);
  if (raws === null) return null;
  const at = { start: words[0]?.start ?? 0, end: words[0]?.end ?? 0, nested: 2 };
  return outputOf(
    raws.flatMap((each) => resolveWord(each, at, { vars: new Map(), cwd })).map(({ text }) => text),
    cwd,
  );
}

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
      .split('\n', mostStages)
      .filter((line) => line !== '')
      .map((line) => own.map((text) => quoted(text.replaceAll(marker, () => line))).join(' '))
      .join('\n');
  const isWhole = options.some(({ text }) => /^-[a-zA-Z]*0|^--null$|^-d/.test(text));
  const fed = isWhole ? input.split(/[\n\0]/) : input.split(/[\s\0]+/);
  return [...own, ...fed.filter((text) => text !== '')].map(quoted).join(' ');
}

/** As a shell reads it back, with its expansions of paths and of the home directory. */
const quoted = (text: string): string =>
  /^[\w./*?~=+:,\u0001-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

const mostStages = 64;

/** What the stages before write, as far as it is the text of an echo, passed on or decoded. */
function inputOf(stage: Stage | null, { stages, files }: Known): string | null {
  if (stage === null || stage.index === 0) return null;
  const later: ((text: string) => string)[] = [];
  for (let index = stage.index - 1; index >= Math.max(0, stage.index - mostStages); index -= 1) {
    const commands = stages.get(stage.pipeline)?.get(index) ?? [];
    const [command, second] = commands;
    if (command === undefined) return null;
    const change = second === undefined ? passes(command) : null;
    const text = change === null || command.stdin === null ? allWritten(commands, files) : change(command.stdin);
    if (text !== null) return later.reduceRight((value, each) => each(value), text);
    if (change === null) return null;
    later.push(change);
  }
  return null;
}

/** What the commands of one stage write, one after the other. */
function allWritten(commands: readonly Simple[], files: Files): string | null {
  const texts = commands.map((command) => writtenBy(command) ?? shownBy(command, files));
  return texts.includes(null) ? null : texts.join('');
}

/** `cat x`, of a file that the command has written. */
function shownBy({ program, words, cwd }: Simple, files: Files): string | null {
  const [file, second] = program === 'cat' ? operandsOf(words.slice(1)) : [];
  return file === undefined || second !== undefined
    ? null
    : (files.get(resolvePath(file.text, cwd) ?? '')?.text ?? null);
}

function writtenBy({ program, words, cwd, stdin }: Simple): string | null {
  if (program === 'cat' && words.length === 1) return stdin;
  const text =
    program === 'echo' || program === 'printf'
      ? outputOf(
          words.map((word) => word.text),
          cwd,
        )
      : null;
  if (program !== 'echo') return text;
  const written =
    text ??
    `${words
      .slice(1)
      .map((word) => word.text)
      .join(' ')
      .replaceAll(hole, '${__}')}\n`;
  // The echo of dash reads escapes without an option, that of bash does not.
  return written.includes('\\') ? written + decodeEscapes(written) : written;
}

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

function spanOf({ start, end }: Simple): Simple['words'][number] {
  return { text: '', raw: '', start, end, literal: false, glob: false };
}
