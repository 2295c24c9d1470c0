/** What the commands of a text leave in files. */
import { callsIn } from './calls.ts';
import { globMatches } from './names.ts';
import { operandsOf, wordsAfter } from './options.ts';
import { baseName, resolvePath } from './paths.ts';
import {
  fileText,
  inputOf,
  isNothing,
  nothing,
  outputTo,
  seen,
  unseen,
  type Content,
  type PipelineContext,
  type Stages,
} from './streams.ts';
import { isFetcher } from './shells.ts';
import { hole, type Simple, type Word } from './types.ts';
import { mayWrite, writesOf } from './writes.ts';

interface FileContentAt extends Content {
  /** Offset in the text of the command at which the file is first written. */
  readonly at: number;
}

const copies = /^(?:mv|cp|gcp|ln|install|rsync|scp)$/;
const compilers = /^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|tcc|ld|as|rustc|ghc|gfortran|go|javac|nasm)(?:-[\d.]+)?$/;
/** They change what is there already. */
const editors = /^(?:g?sed|perl|ruby)$/;
/** They leave nothing in a file, or take it away. */
const empties = /^(?:rm|unlink|mkdir|touch|truncate|shred|chmod|gzip|zip|bzip2|xz|zstd)$/;
const archivers = /^(?:tar|bsdtar|unzip|cpio|7za?|gunzip|bunzip2|unxz)$/;
const pipeMakers = /^(?:mkfifo|mknod)$/;
/** In what is put into a script, these are not usual. */
const risky =
  /(?:^|[^\w-])(?:rm|dd|kill|mkfs[\w.]*|wipefs|shred|blkdiscard|reboot|poweroff|halt|shutdown|chmod|chown|curl|wget|eval)\b/;

const isDevice = /^\/dev\/(?!shm\/)/;

export class Files {
  readonly #left = new Map<string, FileContentAt>();
  /** `split` and archives: names that begin so. */
  readonly #below: { readonly prefix: string; readonly at: number }[] = [];
  /** Programs of interpreters that the text holds: they may write each file that they name. */
  readonly #said: string[] = [];
  readonly #stages: Stages;
  readonly #isInOrder: boolean;

  /** `isInOrder`: what is written later is not there yet. */
  constructor(
    commands: readonly Simple[],
    { stages, isInOrder }: { readonly stages: Stages; readonly isInOrder: boolean },
  ) {
    this.#stages = stages;
    this.#isInOrder = isInOrder;
    for (const command of commands.toSorted((one, other) => one.start - other.start))
      if (makesFile(command)) this.#take(command, commands);
  }

  get isEmpty(): boolean {
    return this.#left.size === 0 && this.#below.length === 0;
  }

  /** The program of an interpreter. */
  says(code: string | null): void {
    if (code !== null) this.#said.push(code);
  }

  readonly fileAt = (file: Word, reader: Simple): Content | null => {
    // A list with a redirection behind it reports the start of its last command as its own, so the first word counts.
    const start = reader.words[0]?.start ?? reader.start;
    const found = this.#find(file, reader.cwd).filter(({ at }) => !this.#isInOrder || at <= start);
    const texts = found.flatMap(({ text }) => text ?? []);
    if (found.length > 0)
      return { text: texts.length === 0 ? null : texts.join('\n'), isSeen: found.every(({ isSeen }) => isSeen) };
    const name = baseName(file.text);
    return name.length > 1 && this.#said.some((code) => code.includes(name)) ? unseen : null;
  };

  /** What stands in a directory: `run-parts d`. */
  readonly hasBelow = (directory: Word, cwd: string | null): boolean => {
    const path = resolvePath(directory.text, cwd);
    return path !== null && [...this.#left.keys()].some((each) => each.startsWith(`${path}/`));
  };

  #find({ text, raw, glob }: Word, cwd: string | null): readonly FileContentAt[] {
    // What find finds, and what xargs is fed with, may be any of them.
    if (text.includes(hole) && (raw === '' || raw.includes('{}'))) return this.#all();
    const path = keyOf(text, cwd);
    const exact = this.#left.get(path);
    if (exact !== undefined) return [exact];
    const below = this.#below.filter(({ prefix }) => path.startsWith(prefix)).map(({ at }) => ({ ...unseen, at }));
    if (below.length > 0) return below;
    const isPattern = glob || (cwd === null && !text.startsWith('/'));
    return isPattern ? [...this.#left].filter(([key]) => matches(path, key)).map(([, left]) => left) : [];
  }

  #all(): readonly FileContentAt[] {
    const [first] = this.#left.values();
    return first === undefined ? [] : [{ ...unseen, at: Math.min(...[...this.#left.values()].map(({ at }) => at)) }];
  }

  get #known(): PipelineContext {
    return { stages: this.#stages, fileAt: this.fileAt };
  }

  #take(command: Simple, all: readonly Simple[]): void {
    const { program, redirects } = command;
    // A rule of its own knows what is downloaded.
    if (isFetcher(program)) return;
    for (const { operator, target } of redirects)
      if (operator.includes('>')) {
        const content = redirectedInto(command, all) ?? outputTo(command, this.#known);
        this.#put(target, command, content, operator.includes('>>'));
      }
    if (program !== null && program !== '') this.#takeWords(program, command);
  }

  #takeWords(program: string, command: Simple): void {
    const into = (content: Content): void => {
      for (const target of operandsOf(command.words.slice(1))) this.#put(target, command, content, false);
    };
    if (copies.test(program)) this.#copy(command);
    else if (compilers.test(program)) this.#compile(command);
    else if (archivers.test(program)) this.#extract(command);
    else if (program === 'tee') into(outputTo(command, this.#known));
    else if (pipeMakers.test(program)) into(unseen);
    else if (!empties.test(program)) this.#takeNamed(program, command);
  }

  /** Files that its words say it writes. */
  #takeNamed(program: string, command: Simple): void {
    for (const { target, how } of writesOf(command)) {
      const key = keyOf(target.text, command.cwd);
      const isRedirect = how === 'redirect' && command.redirects.some((each) => each.target === target);
      const isChange = how === 'edit' && editors.test(program) && !this.#left.has(key) && !isRisky(command);
      if (isRedirect || isChange) continue;
      if (/^c?split$/.test(program)) this.#below.push({ prefix: key, at: command.start });
      this.#put(target, command, program === 'dd' ? this.#copied(command) : unseen, false);
    }
  }

  #put({ text }: Word, { cwd, start }: Simple, content: Content, isAppended: boolean): void {
    const key = keyOf(text, cwd);
    if (isDevice.test(key)) return;
    const before = this.#left.get(key);
    if (isNothing(content) && before === undefined) return;
    const texts = [before?.text, content.text].filter((each) => each !== undefined && each !== null);
    this.#left.set(key, {
      // Which of two branches wrote it last is not asked.
      text: texts.length === 0 ? null : texts.join(isAppended ? '' : '\n'),
      isSeen: content.isSeen && before?.isSeen !== false,
      at: before?.at ?? start,
    });
  }

  /** `mv a b`, `cp a b`, `ln a b`: what was written to one is then in the other as well. */
  #copy(command: Simple): void {
    const { program, words, cwd } = command;
    const options = { short: program === 'install' ? 'mogS' : 'S', long: ['--mode', '--owner', '--group', '--suffix'] };
    const operands = wordsAfter(words.slice(1), options);
    const [source, target] = [operands[0], operands.at(-1)];
    if (source === undefined || target === undefined || operands.length < 2) return;
    for (const each of operands.slice(0, -1)) {
      const content = this.#sourceText(each, command);
      if (content === null) continue;
      this.#put(target, command, content, false);
      const path = resolvePath(target.text, cwd);
      if (path !== null) this.#put({ ...target, text: `${path}/${baseName(each.text)}` }, command, content, false);
    }
  }

  /** What a copy is made of; `null`: a file that was there before. */
  #sourceText(source: Word, command: Simple): Content | null {
    if (/^\/dev\/(?:stdin|fd\/0)$/.test(source.text)) return fromInput(command, this.#known);
    const content = fileText(source, command, this.#known);
    return isNothing(content) ? null : content;
  }

  #copied(command: Simple): Content {
    const from = command.words.find(({ text }) => text.startsWith('if='));
    if (from === undefined) return fromInput(command, this.#known);
    return this.#sourceText({ ...from, text: from.text.slice(3) }, command) ?? nothing;
  }

  /** A shell does not read a compiled program, but what the program hands to a shell stands in its source. */
  #compile(command: Simple): void {
    const sources = operandsOf(command.words.slice(1)).flatMap((word) => this.fileAt(word, command) ?? []);
    if (sources.length === 0) return;
    const at = command.words.findIndex(({ text }) => text === '-o');
    const [first] = command.words;
    const target = at < 0 ? first && { ...first, text: 'a.out' } : command.words[at + 1];
    const texts = sources.flatMap(({ text }) => (text === null ? [] : callsIn(text)));
    if (target !== undefined)
      this.#put(target, command, { text: texts.join('\n'), isSeen: sources.every(({ isSeen }) => isSeen) }, false);
  }

  /** Follows only archives that the text makes itself: an archive that was there before is as good as the files in it. */
  #extract(command: Simple): void {
    const isMade = command.words.slice(1).some((word) => this.fileAt(word, command) !== null);
    const isFed = inputOf(command, this.#known).text !== null;
    const { cwd, start, program } = command;
    const writes = writesOf(command);
    const into = writes.filter(({ how }) => how === 'copy').map(({ target }) => target.text);
    const isPacking = into.length === 0 && /tar$/.test(program ?? '');
    if (isPacking) for (const { target } of writes) this.#put(target, command, unseen, false);
    if (isPacking || !(isMade || isFed)) return;
    for (const directory of ['.', ...into]) this.#below.push({ prefix: `${keyOf(directory, cwd)}/`, at: start });
  }
}

function makesFile(command: Simple): boolean {
  const program = command.program ?? '';
  return (
    command.redirects.some(({ operator }) => operator.includes('>')) ||
    mayWrite(program) ||
    pipeMakers.test(program) ||
    compilers.test(program) ||
    archivers.test(program)
  );
}

export const makesFiles = (commands: readonly Simple[]): boolean => commands.some(makesFile);

/** Paths that are not known end in the name alone. */
const keyOf = (text: string, cwd: string | null): string => resolvePath(text, cwd) ?? `?/${baseName(text)}`;

/** A pattern, or a name in a directory that is not known. */
function matches(path: string, key: string): boolean {
  if (path.startsWith('?/') || key.startsWith('?/')) return globMatches(baseName(path), baseName(key));
  return globMatches(path, key);
}

function fromInput(command: Simple, known: PipelineContext): Content {
  const input = inputOf(command, known);
  return isNothing(input) ? unseen : input;
}

const isRisky = ({ words, stdin }: Simple): boolean =>
  words.slice(1).some(({ text }) => risky.test(text)) || risky.test(stdin ?? '');

/** `> x` leaves it empty. What a group writes is not known, and neither is what follows an `exec`; `null`: it is the command's own. */
function redirectedInto({ program, words, start, end }: Simple, all: readonly Simple[]): Content | null {
  if (program === 'exec' && words.length === 1) return unseen;
  if (words.length > 0) return null;
  return all.some((other) => other.words.length > 0 && start <= other.start && other.end <= end) ? unseen : seen('');
}
