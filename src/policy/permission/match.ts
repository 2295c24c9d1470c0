/** Whether a permission rule is about a command. Refusing matches widely, allowing matches narrowly. */
import { baseName } from '../../shell/paths.ts';
import { hole, type Simple } from '../../shell/types.ts';
import { spellings } from './respelled.ts';
import type { Pattern } from './rules.ts';

/** Directories whose programs are what their name says. */
const systemDirectories = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/;

/** Options before the subcommand that take a value, so that `git -C x push` is found by `git push`. */
const globalValues: Readonly<Record<string, RegExp>> = {
  git: /^(?:-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/,
  npm: /^(?:--prefix|-w|--workspace|--registry|--userconfig|--loglevel)$/,
  docker: /^(?:-H|--host|-c|--context|--config|-l|--log-level)$/,
  kubectl: /^(?:-n|--namespace|--context|--kubeconfig|-s|--server|--cluster|--user)$/,
  systemctl: /^(?:-H|--host|-M|--machine|-t|--type)$/,
};

/** For deny and ask: the program by any path and spelling, its flags in any order and cluster, the words in order. */
export function matchesWidely(pattern: Pattern, command: Simple): boolean {
  if (pattern.kind === 'tool') return true;
  return spellings(command).some((each) => matchesOne(pattern, each));
}

function matchesOne(pattern: Exclude<Pattern, { readonly kind: 'tool' }>, { program, words }: Simple): boolean {
  if (pattern.kind !== 'prefix' && pattern.kind !== 'exact') return false;
  const [name = '', ...rest] = pattern.words;
  if (program === null || program !== baseName(name).toLowerCase()) return false;
  const texts = words.slice(1).map(({ text }) => text);
  // An alias that is not known stands for any subcommand with any options.
  if (program === 'git' && withoutValues(program, texts).find((text) => !text.startsWith('-')) === hole) return true;
  if (pattern.kind === 'exact')
    return texts.length === rest.length && texts.every((text, at) => text === rest[at] || text.includes(hole));
  return startsWith(texts, rest) || holdsAll(program, texts, rest);
}

function startsWith(texts: readonly string[], rest: readonly string[]): boolean {
  return rest.every((word, at) => texts[at] === word || texts[at]?.includes(hole) === true);
}

function holdsAll(program: string, texts: readonly string[], rest: readonly string[]): boolean {
  const given = takenApart(withoutValues(program, texts));
  const wanted = takenApart(rest);
  return [...wanted.flags].every((flag) => given.flags.has(flag)) && startsWith(given.operands, wanted.operands);
}

function withoutValues(program: string, texts: readonly string[]): readonly string[] {
  const values = Object.hasOwn(globalValues, program) ? globalValues[program] : undefined;
  return values === undefined
    ? texts
    : texts.filter((text, at) => !values.test(texts[at - 1] ?? '') || text.startsWith('--'));
}

function takenApart(texts: readonly string[]): {
  readonly flags: ReadonlySet<string>;
  readonly operands: readonly string[];
} {
  const flags = new Set<string>();
  const operands: string[] = [];
  for (const text of texts) {
    if (!text.startsWith('-') || text === '-' || text === '--') operands.push(text);
    else if (text.startsWith('--')) flags.add(alias(text.split('=', 1)[0] ?? text));
    else for (const letter of text.slice(1)) flags.add(`-${letter}`);
  }
  return { flags, operands: operands.filter((text) => text !== '--') };
}

const alias = (flag: string): string => ({ '--recursive': '-r', '--force': '-f' })[flag] ?? flag;

/** For allow: the very words, all of them written out, the program by its bare name or from a system directory. */
export function matchesNarrowly(pattern: Pattern, { program, words, assignments }: Simple): boolean {
  if (pattern.kind === 'tool') return true;
  if (pattern.kind !== 'prefix' && pattern.kind !== 'exact') return false;
  if (program === null || assignments.length > 0) return false;
  const [name = '', ...rest] = pattern.words;
  const called = words[0]?.text ?? '';
  if (called !== name && !(systemDirectories.test(called) && baseName(called) === name)) return false;
  if (words.some(({ literal }) => !literal)) return false;
  const texts = words.slice(1).map(({ text }) => text);
  const starts = rest.every((word, at) => texts[at] === word);
  return starts && (pattern.kind === 'prefix' || texts.length === rest.length);
}
