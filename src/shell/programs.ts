/** Programs that run what stands in their input or in a file: where they read it, and what a shell gets of it. */
import { awkCalls, callsIn, clientCalls, editorCalls } from './calls.ts';
import { recipesOf } from './makefile.ts';
import { afterOptions, operandsAfter } from './options.ts';
import { sedCalls } from './sed.ts';
import { isInput, isInterpreter, readsProgram } from './shells.ts';
import type { Simple, Word } from './types.ts';

interface Reader {
  /** The option that names the file. */
  readonly option: RegExp;
  /** What it reads when no option names a file: its input, or this file. */
  readonly otherwise: 'input' | 'Makefile' | 'package.json' | null;
  readonly calls: (code: string, words: readonly Word[]) => readonly string[];
}

/** A client, an editor: a line in it can be for a shell. */
const client = (option: RegExp): Reader => ({ option, otherwise: 'input', calls: clientCalls });
const editor = (option: RegExp): Reader => ({ option, otherwise: 'input', calls: editorCalls });
const none = /^$/;

const programFile = /^(?:-[nErsuz]*f|--file=?)/;
const awk: Reader = { option: programFile, otherwise: null, calls: awkCalls };
const sed: Reader = { option: programFile, otherwise: null, calls: sedCalls };
const make: Reader = {
  option: /^(?:-[kisnBdqw]*f|--file=?|--makefile=?)/,
  otherwise: 'Makefile',
  calls: (code, words) => recipesOf(code, goalsOf(words)),
};
const queue: Reader = { option: /^-f/, otherwise: 'input', calls: (code) => [code] };
const macros: Reader = {
  option: none,
  otherwise: 'input',
  calls: (code) => Array.from(code.matchAll(/\be?sys(?:cmd|val)\([`"']*([^)'"]+)/g), ([, text = '']) => text),
};

/** Scripts of a package: each may run before or behind another one. */
const scripts: Reader = {
  option: /^(?:--prefix=?|-C|--cwd=?)/,
  otherwise: 'package.json',
  calls: (code) =>
    Array.from(code.matchAll(/"(?:[^"\\]|\\.)*"\s*:\s*"((?:[^"\\]|\\.)*)"/g), ([, run = '']) =>
      run.replace(/\\(["\\/])/g, '$1'),
    ).filter((run) => /\s/.test(run)),
};

/** Its configuration may name programs. */
const connection: Reader = {
  option: /^-[Fb]/,
  otherwise: null,
  calls: (code) => [
    ...Array.from(
      code.matchAll(/^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)[\s=]+(.+)$/gim),
      ([, run = '']) => run,
    ),
    ...editorCalls(code),
  ],
};

const readers: Readonly<Record<string, Reader>> = {
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  sed,
  gsed: sed,
  make,
  gmake: make,
  npm: scripts,
  pnpm: scripts,
  yarn: scripts,
  ed: editor(none),
  ex: editor(none),
  vi: editor(/^-[Sus]/),
  vim: editor(/^-[Sus]/),
  nvim: editor(/^-[Sus]/),
  ssh: connection,
  scp: connection,
  sftp: { ...connection, otherwise: 'input' },
  sqlite3: client(/^--?init$/),
  duckdb: client(/^--?init$/),
  psql: client(/^(?:-f|--file=?)/),
  mysql: client(none),
  mariadb: client(none),
  sqlplus: client(none),
  gdb: client(/^(?:-x|--?command=?)/),
  lldb: client(/^(?:-s|--source=?)/),
  ftp: editor(none),
  lftp: client(/^-f/),
  gnuplot: client(none),
  dc: editor(/^(?:-f|--file=?)/),
  mail: editor(none),
  mailx: editor(none),
  m4: macros,
  at: queue,
  batch: queue,
};

/** `null`: none of these, or what it runs stands in its words. */
export function sourceOf({ program, words }: Simple): Word | 'input' | null {
  if (isInterpreter(program)) return scriptOf(words);
  const reader = readerOf(program);
  if (reader === null) return null;
  if (reader.otherwise === 'package.json')
    return fileIn(words, valueOf(words, reader.option)?.text ?? '.', 'package.json');
  const named = valueOf(words, reader.option);
  if (named !== null) return isInput(named.text) ? 'input' : named;
  return reader.otherwise === 'Makefile' ? makefileOf(words) : reader.otherwise;
}

function makefileOf(words: readonly Word[]): Word | null {
  return fileIn(words, valueOf(words, /^(?:-C|--dir[a-z]*=?)/)?.text ?? '.', 'Makefile');
}

function fileIn([first]: readonly Word[], directory: string, name: string): Word | null {
  return first === undefined ? null : { ...first, text: `${directory}/${name}`, raw: '' };
}

/** The targets that make is asked for. */
const goalsOf = (words: readonly Word[]): readonly string[] =>
  operandsAfter(
    words.slice(1).map(({ text }) => text),
    { short: 'CfIjlo', long: ['--directory', '--file', '--makefile', '--jobs'] },
  ).filter((text) => !text.includes('='));

function scriptOf(words: readonly Word[]): Word | 'input' | null {
  const at = afterOptions(words, 1, {});
  const script = words[runsNext.test(words[at]?.text ?? '') && words[at - 1]?.text === '-m' ? at + 1 : at] ?? null;
  const own = words.find(({ text }) => option.test(text));
  if (own !== undefined && !(own.text.startsWith('-m') && script !== null))
    return { ...own, text: own.text.replace(option, '').replace(/^[\w.]+$/, (name) => name.replaceAll('.', '/')) };
  return readsProgram(words.slice(1)) ? 'input' : script;
}

/** A module or a file in the word of its option. */
const option = /^(?:-m(?=\w)|--(?:require|import|loader)=)/;
/** Modules of Python that run or import the file behind them. */
const runsNext = /^(?:unittest|doctest|pydoc|pytest|runpy)$/;

function readerOf(program: string | null): Reader | null {
  return program !== null && Object.hasOwn(readers, program) ? (readers[program] ?? null) : null;
}

function valueOf(words: readonly Word[], option: RegExp): Word | null {
  const at = words.findIndex(
    ({ text }, index) =>
      index > 0 && option.test(text) && !isNoFile.test(text.replace(option, '') || (words[index + 1]?.text ?? '')),
  );
  const word = words[at];
  if (word === undefined) return null;
  const glued = word.text.replace(option, '');
  return glued === '' ? (words[at + 1] ?? null) : { ...word, text: glued };
}

/** Values of an editor's option for a script that mean no file, or the defaults of the editor. */
const isNoFile = /^(?:NONE|NORC|DEFAULTS)$/;

/** What a shell gets of such a program. */
export function callsOf({ program, words }: Simple, code: string): string {
  return (readerOf(program)?.calls(code, words) ?? callsIn(code)).join('\n');
}
