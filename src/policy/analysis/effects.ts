/** What commands do to the shell they run in: its directory and its variables. */
import type { Definition } from '../types.ts';
import { operandsOf } from './options.ts';
import { outputOf } from './output.ts';
import { resolvePath } from './paths.ts';
import { hole, wordBreak, type Simple } from './types.ts';

/** The directory afterwards; `null`: not known; `undefined`: as before. */
export function movesDirectory({ program, words, cwd }: Simple): string | null | undefined {
  if (program === 'popd') return null;
  if (program !== 'cd' && program !== 'pushd' && program !== 'chdir') return undefined;
  const [target] = operandsOf(words.slice(1));
  if (target === undefined) return program === 'pushd' ? null : '~';
  if (target.text === '-' || /^[+]\d/.test(target.text)) return null;
  // A relative name may be found by CDPATH, but agents' shells have none.
  return resolvePath(target.text, cwd);
}

/** What `alias a=b` makes of names. */
export function aliasesIn({ words }: Simple): readonly Definition[] {
  return words.slice(1).flatMap(({ text }) => {
    const at = text.indexOf('=');
    return at <= 0 ? [] : [{ kind: 'alias', name: text.slice(0, at), text: text.slice(at + 1) } as const];
  });
}

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
export function setsKnown({ program, words, stdin, cwd }: Simple): readonly (readonly [string, string])[] {
  const args = words.slice(1).map(({ text }) => text);
  if (program === 'set') return args[0] === '--' ? positionals(args.slice(1)) : [];
  if (program === 'printf' && args[0] === '-v' && args[1] !== undefined) {
    const text = outputOf(['printf', ...args.slice(2)], cwd);
    return text === null ? [] : [[args[1], text]];
  }
  const names = args.filter((arg) => /^[A-Za-z_]\w*$/.test(arg));
  return program === 'read' && stdin !== null && names.length === 1 && names[0] !== undefined
    ? [[names[0], stdin.trimEnd()]]
    : [];
}

function positionals(texts: readonly string[]): readonly (readonly [string, string])[] {
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
      ({ text }, at) =>
        /^(?:[A-Za-z_]\w*=)?[A-Za-z_]\w*\[[^\]]*(?:\$\(|`)/.test(text) &&
        (program !== 'printf' || words[at]?.text === '-v'),
    );
}
