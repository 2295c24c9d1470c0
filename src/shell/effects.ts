/** What commands do to the shell they run in: its directory and its variables. */
import { pathUnits } from './limits.ts';
import { operandsOf, wordsAfter } from './options.ts';
import { outputOf } from './output.ts';
import { baseName, resolvePath } from './paths.ts';
import { substitutionsIn } from './quoting.ts';
import { hole, wordBreak, type Definition, type Simple, type Word } from './types.ts';

/** The directory afterwards; `null`: not known; `undefined`: as before. */
export function movesDirectory({ program, words, cwd }: Simple): string | null | undefined {
  if (program === 'popd') return null;
  if (program !== 'cd' && program !== 'pushd' && program !== 'chdir') return undefined;
  const [target] = operandsOf(words.slice(1));
  if (target === undefined) return program === 'pushd' ? null : '~';
  if (target.text === '-' || /^[+]\d/.test(target.text)) return null;
  // A relative name may be found by CDPATH, but agents' shells have none.
  const directory = resolvePath(target.text, cwd);
  return directory !== null && directory.length > pathUnits ? null : directory;
}

/** What `alias a=b` and `hash -p /bin/b a` make of names. */
export function aliasesIn({ program, words, cwd }: Simple): readonly Definition[] {
  if (program === 'hash') return remembered(words);
  if (program !== 'alias') return copiedProgram(words, cwd);
  return words.slice(1).flatMap(({ text }) => {
    const at = text.indexOf('=');
    return at <= 0 ? [] : [{ kind: 'alias', name: text.slice(0, at), text: text.slice(at + 1) } as const];
  });
}

/** `hash -p /bin/rm ls`, also `-rp` and `-p/bin/rm`. */
function remembered(words: readonly Word[]): readonly Definition[] {
  const at = words.findIndex(({ text }, index) => index > 0 && /^-[rdlt]*p/.test(text));
  const glued = words[at]?.text.replace(/^-[rdlt]*p/, '') ?? '';
  const path = glued === '' ? words[at + 1]?.text : glued;
  if (at < 0 || path === undefined) return [];
  const names = operandsOf(words.slice(at + (glued === '' ? 2 : 1)));
  return names.map(({ text }) => ({ kind: 'alias', name: text, text: path }));
}

/** `cp /bin/rm x; ./x -rf /`: a program under another name. */
function copiedProgram(words: readonly Word[], cwd: string | null): readonly Definition[] {
  const program = /^(?:\S*\/)?(cp|ln|mv|install|link|mount)$/.exec(words[0]?.text ?? '')?.[1];
  if (program === undefined) return [];
  if (program === 'mount' && !words.some(({ text }) => /^(?:-R?B|--r?bind)$/.test(text))) return [];
  const into = words.find((_, at) => /^(?:-[a-zA-Z]*t|--target-directory)$/.test(words[at - 1]?.text ?? ''));
  const operands = wordsAfter(words.slice(1), { short: program === 'install' ? 'mogSt' : 'St', long: valued });
  const [source, target = into] = operands;
  if (source === undefined || target === undefined || operands.length > 2) return [];
  const path = resolvePath(source.text, cwd);
  // A name alone may be that of an earlier copy.
  if (
    path !== null &&
    !/^(?:(?:\/usr(?:\/local)?)?\/s?bin|[^/]*\0.*)\/[\w.+-]+$/.test(path) &&
    !/^"?(?:\$\(|`)\s*(?:command -v|which|type -[pP])\s/.test(source.raw) &&
    !(isName.test(source.text) && source.literal)
  )
    return [];
  const name = target.text.replace(/^\.\//, '');
  const names = new Set([name, `./${name}`, target.text, `./${baseName(name)}`]);
  return [...names].map((each) => ({ kind: 'alias', name: each, text: source.text }));
}

const valued = ['--mode', '--owner', '--group', '--suffix', '--target-directory'];
/** A file without an ending, below the current directory or in a directory for what is not kept. */
const isName = /^(?:\.\/|\/tmp\/)?(?:[\w+-]+\/)?[\w+-]+$/;

/** Variables that get a value which is not written in the command. */
export function setsUnknown({ program, words }: Simple): readonly string[] {
  const args = words.slice(1).map(({ text }) => text);
  if (program === 'printf') return args[0] === '-v' && args[1] !== undefined ? [args[1]] : [];
  if (program === 'read' || program === 'mapfile' || program === 'readarray' || program === 'getopts') {
    return args.filter((arg) => /^[A-Za-z_]\w*$/.test(arg) && arg !== hole);
  }
  if (program === 'let') return args.flatMap((arg) => /^([A-Za-z_]\w*)[-+*/%]?=/.exec(arg)?.[1] ?? []);
  return [];
}

/** Variables that get a value which the command itself holds: by `set`, `printf -v`, or read from a text. */
export function setsKnown({ program, words, stdin, cwd, assignments }: Simple): readonly (readonly [string, string])[] {
  const args = words.slice(1).map(({ text }) => text);
  if (program === 'set') return args[0] === '--' ? positionals(args.slice(1)) : [];
  if (program === 'printf' && args[0] === '-v' && args[1] !== undefined) {
    const text = outputOf(['printf', ...args.slice(2)], cwd);
    return text === null ? [] : [[args[1], text]];
  }
  if (
    program !== 'read' ||
    stdin === null ||
    args.some((arg) => /^-[a-z]*a/.test(arg)) ||
    assignments.some(splitsWords)
  )
    return [];
  const names = args.filter((arg) => /^[A-Za-z_]\w*$/.test(arg));
  return names.length === 1 && names[0] !== undefined ? [[names[0], stdin.trimEnd()]] : [];
}

/** Whether words are parted at other characters from there on. */
export const splitsWords = ({ name, value }: { readonly name: string; readonly value: string }): boolean =>
  name === 'IFS' && value !== '' && !/^[ \t\n]+$/.test(value);

export function positionals(texts: readonly string[]): readonly (readonly [string, string])[] {
  return [['@', texts.join(wordBreak)], ...texts.slice(0, 9).map((text, at) => [String(at + 1), text] as const)];
}

/** Builtins that take names of variables, whose subscripts the shell evaluates: `printf -v 'a[$(id)]'`. */
const takesNames =
  /^(?:printf|read|mapfile|readarray|getopts|unset|declare|typeset|local|export|readonly|let|test|\[|wait)$/;

/** Whether a word holds a subscript that runs commands, though no substitution is written where the shell reads it first. */
export function runsSubscript({ program, words }: Simple): boolean {
  if (program === null || !takesNames.test(program)) return false;
  return words
    .slice(1)
    .some(
      ({ text }, at) => runsIndex(text) && (program !== 'printf' || words[at]?.text === '-v' || text.startsWith('-v')),
    );
}

/** What the shell runs as it reads such words: `declare 'a[$(id)]=1'`, `declare -a 'a=($(id))'`. */
export function runInNames(simple: Simple): readonly string[] {
  if (!/^(?:declare|typeset|local|export|readonly|unset)$/.test(simple.program ?? '')) return [];
  return simple.words
    .slice(1)
    .flatMap(({ text, raw }) =>
      /^['"]/.test(raw) && (runsIndex(text) || listWith.test(text)) ? substitutionsIn(text) : [],
    );
}

const listWith = /^[A-Za-z_]\w*\+?=(?:\(|[^]*\w\[)[^]*(?:\$\(|`)/;

/** Whether arithmetic, or a name of a variable, that is written so runs a command: `1+a[$(id)]`. */
export function runsIndex(text: string): boolean {
  const at = text.search(/\w\[[^\]]{0,256}(?:\$\(|`)/);
  return at >= 0 && /^[\0\w\s[\]+\-*/%()<>=!&|^~?:,#]*$/.test(text.slice(0, at));
}

/** Texts that the shell reads as commands when it shows a prompt, or calls a name. */
export function deferredCommands(simple: Simple): readonly string[] {
  const set = simple.assignments.map(({ name, value }) => [name, value] as const);
  return [...set, ...setsKnown(simple)].flatMap(([name, value]) => {
    if (/^PS[0-4]$/.test(name)) return substitutionsIn(value);
    return /^(?:PROMPT_COMMAND|BASH_ALIASES|BASH_CMDS)$/.test(name) && value !== hole
      ? value.split(wordBreak).filter((text) => text !== '')
      : [];
  });
}

/** `$@`, `$1` and on, as `shift` leaves them; `null`: not known. */
export function shifted({ program, words }: Simple, all: string | undefined): string | null | undefined {
  if (program !== 'shift' || all === undefined) return undefined;
  const count = Number(words[1]?.text ?? 1);
  return Number.isInteger(count) && !all.includes(hole) ? all.split(wordBreak).slice(count).join(wordBreak) : null;
}
