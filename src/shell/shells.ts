/** Calls of shells and interpreters: what text, script or input they run. */
import type { Word } from './types.ts';

const shellNames = new Set(['sh', 'bash', 'zsh', 'ksh', 'dash', 'ash', 'mksh', 'fish', 'csh', 'tcsh', 'rbash', 'yash']);

export function isShell(program: string | null): boolean {
  return program !== null && shellNames.has(program);
}

const fetchers = /^(?:curl|wget|fetch|aria2c|axel|http|https|xh|lynx|lwp-request|nc|ncat|socat|iwr|invoke-webrequest)$/;

export const isFetcher = (program: string | null): boolean => program !== null && fetchers.test(program);

export type ShellCall =
  | { readonly kind: 'text'; readonly text: Word; readonly positional: readonly Word[] }
  | { readonly kind: 'script'; readonly script: Word }
  | { readonly kind: 'input' };

const longWithValue = new Set(['--rcfile', '--init-file']);
/** Options of fish, which may be cut short. */
const longWithText = /^--(?:c[a-z]*|init-c[a-z-]*)$/;

/** `args`: what follows the shell's name. */
export function shellCall(args: readonly Word[]): ShellCall {
  let at = 0;
  let takesText = false;
  let input = false;
  for (; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    const { text } = word;
    if (text === '--' || text === '-') {
      at += 1;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    if (text.startsWith('--')) {
      const glued = /^--(?:c[a-z]*|init-c[a-z-]*)=/.exec(text)?.[0];
      if (glued !== undefined)
        return { kind: 'text', text: { ...word, text: text.slice(glued.length) }, positional: [] };
      takesText ||= longWithText.test(text);
      at += longWithValue.has(text) ? 1 : 0;
      continue;
    }
    takesText ||= text.startsWith('-') && text.includes('c');
    input ||= text.startsWith('-') && text.includes('s');
    at += Array.from(text.slice(1)).filter((letter) => letter === 'o' || letter === 'O').length;
  }
  const next = args[at];
  if (next === undefined || (input && !takesText)) return { kind: 'input' };
  return takesText ? { kind: 'text', text: next, positional: args.slice(at + 1) } : { kind: 'script', script: next };
}

/** Options with which an interpreter runs program text from its arguments; letters may stand in a cluster. */
const inlineFlags: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:i?python|pypy|jython|py)[\d.]*[a-z]?$/, /^-[bBdEhiIOPqsSuvVx]*c|^-e$/],
  [/^perl[\d.]*$/, /^-[acdlnpstuwWXifFlTU0-9]*[eE]/],
  [/^ruby[\d.]*$/, /^-[aclnpsSUvwW]*e/],
  [/^(?:node|nodejs|iojs|tsx|ts-node|zx|qjs)$/, /^(?:-c$|-[ep]+$|-[epi]*[ep]|--eval(?:=|$)|--print(?:=|$))/],
  [/^bun$/, /^(?:-e|-p|--eval|--print)/],
  [/^php[\d.]*$/, /^-[rBRE]/],
  [/^(?:lua|luajit)[\d.]*$/, /^-e/],
  [
    /^(?:rscript|r|julia|groovy|elixir|erl|scala|ghci?|runghc|raku|swift|clojure|clj|racket|irb|ocaml|crystal)$/,
    /^(?:-[eE]|-eval|--eval)/,
  ],
  [/^(?:sbcl|emacs|octave)$/, /^--?eval/],
  [/^(?:expect|guile|nu|xonsh|elvish|tclsh)$/, /^-[a-z]*c$/],
  [/^osascript$/, /^-e/],
  [/^(?:powershell|pwsh)$/, /^[-/](?:c|command|f|file|e|ec|enc\w*)$/i],
];

/** Options of interpreters whose value is the next word, so that it is not read as an option. */
const valued: Readonly<Record<string, RegExp>> = {
  python: /^-[WX]$/,
  powershell: /^-(?:ep|ex\w*|ver\w*|w\w*)$/i,
  pwsh: /^-(?:ep|ex\w*|ver\w*|w\w*)$/i,
  osascript: /^-l$/,
  sbcl: /^--load$/,
  ruby: /^-[IrC]$/,
  perl: /^-[I]$/,
  node: /^(?:-r|--require|--import|--loader|-C)$/,
  php: /^-[dcz]$/,
};

/** The word that makes an interpreter run inline text; `null` when it runs a file or nothing. */
export function inlineFlag(program: string, args: readonly Word[]): Word | null {
  if ((program === 'deno' || program === 'bun') && args[0]?.text === 'eval') return args[0];
  const flag = inlineFlags.find(([name]) => name.test(program))?.[1];
  if (flag === undefined) return null;
  const skip = Object.entries(valued).find(([name]) => program.startsWith(name))?.[1];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined || !/^[-/]/.test(word.text) || word.text === '--') return null;
    if (word.text === '-m' && !/^(?:perl|ruby|php)/.test(program)) return runsArguments(args[at + 1]) ? word : null;
    // Only checks a file, though the documents take it for code.
    if (word.text === '-c' && /^node/.test(program) && /\.[cm]?[jt]sx?$/.test(args[at + 1]?.text ?? '')) return null;
    if (isProgram(flag, word, { program, next: args[at + 1] })) return word;
    if (skip?.test(word.text) === true) at += 1;
  }
  return null;
}

const isProgram = (
  flag: RegExp,
  { text }: Word,
  { program, next }: { readonly program: string; readonly next: Word | undefined },
): boolean => flag.test(text) || holdsCode(program, text, next?.text ?? '');

/** `perl -M'strict;system(...)'`, `node --import data:...`: the value of an option for a module is a program. */
const holdsCode = (program: string, text: string, next: string): boolean =>
  (program.startsWith('perl') &&
    /^-[mM].*[;({](?!\w+\)$)/.test(text) &&
    !/^-[mM][\w:-]+ qw[\s(/{][\w\s:!,-]*[)/}]$/.test(text)) ||
  (/^(?:node|nodejs|tsx|bun)$/.test(program) &&
    /^(?:-r|--(?:import|require|loader|experimental-loader))(?:=|$)/.test(text) &&
    /^data:/.test(text.replace(/^[^=]*=/, '') === text ? next : text.replace(/^[^=]*=/, '')));

/** Modules that run what follows them; of others it is an argument. */
const runsArguments = (module: Word | undefined): boolean => /^(?:timeit|pdb|IPython)$/.test(module?.text ?? '');

const interpreters = new Map<string, boolean>();
const maxKnown = 2000;

export function isInterpreter(program: string | null): boolean {
  if (program === null || program === '') return false;
  const known = interpreters.get(program);
  if (known !== undefined) return known;
  const found = program === 'deno' || inlineFlags.some(([name]) => name.test(program));
  if (interpreters.size >= maxKnown) interpreters.clear();
  interpreters.set(program, found);
  return found;
}

/** Names under which a program finds its own input. */
export const isInput = (text: string): boolean => /^(?:-|\/dev\/stdin|\/(?:dev|proc\/self)\/fd\/0)$/.test(text);

/** Modules of Python that run the file that follows, and some that read programs from their input. */
const modules =
  /^(?:trace|cProfile|profile|pdb|coverage|runpy|kernprof|line_profiler|memory_profiler|dis|viztracer|pyinstrument|ipdb|bdb)$/;
const consoles = /^(?:code|asyncio|IPython|ptpython|bpython)$/;

/** Whether an interpreter reads its program from its input: no file is named, or `-` is. */
export function readsProgram(args: readonly Word[]): boolean {
  const at = args.findIndex(({ text }) => text === '-m');
  if (at >= 0 && modules.test(args[at + 1]?.text ?? '')) return args.slice(at + 2).some(({ text }) => isInput(text));
  if (at >= 0 && consoles.test(args[at + 1]?.text ?? '')) return true;
  const [first, second] = args.filter(({ text }) => !text.startsWith('-') || text === '-');
  const named = first?.text === 'run' ? second : first;
  return named === undefined || isInput(named.text);
}
