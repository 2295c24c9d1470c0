/** What may follow on a command line, by the table of commands. */
import type { Command } from '../command.ts';
import { commands } from '../commands.ts';
import { everywhere, type Option, type Options } from '../option.ts';

export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** Names that are known when the caller completes. */
export interface Names {
  readonly tasks: () => Promise<readonly string[]>;
}

/** Those that come with Caisson; a test compares. */
const backends = ['docker', 'local', 'singularity', 'ssh', 'modal', 'daytona', 'kubernetes'];

type Source = (names: Names) => Promise<readonly string[]> | readonly string[];

/** Candidates by the word that stands for a value or an operand in help. */
const sources: Readonly<Record<string, Source>> = {
  TASK: ({ tasks }) => tasks(),
  BACKEND: () => backends,
  SHELL: () => ['bash', 'zsh', 'fish'],
};
/** Candidates by the name of an option whose values have no such word. */
const values: Readonly<Record<string, Source>> = {
  backend: () => backends,
  network: () => ['open', 'observe', 'filtered', 'none'],
  output: () => ['table', 'json'],
  code: () => ['python', 'node', 'bash'],
  mode: () => ['autonomous', 'cautious', 'supervised', 'plan'],
  profile: () => ['standard', 'strict'],
  filter: () => ['state=', 'backend=', 'image=', 'task='],
};

/** `before`: the whole words; `last`: the beginning of the word at the cursor. Empty: files are for the shell to complete. */
export async function candidatesFor(
  before: readonly string[],
  last: string,
  names: Names,
): Promise<readonly Candidate[]> {
  if (before.includes('--')) return [];
  const found = await commandIn(before);
  const all = found === null ? await commandWords(before) : await wordsOf(found.command, found.rest, { last, names });
  return all.filter(({ word }) => word.startsWith(last));
}

async function commandIn(
  words: readonly string[],
): Promise<{ readonly command: Command; readonly rest: readonly string[] } | null> {
  const [first = '', second = ''] = words;
  for (const [name, length] of [[`${first} ${second}`, 2] as const, [first, 1] as const]) {
    const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (load !== undefined) return { command: await load(), rest: words.slice(length) };
  }
  return null;
}

/** The next word of a command's name. */
async function commandWords(before: readonly string[]): Promise<readonly Candidate[]> {
  const [first] = before;
  if (before.length > 1) return [];
  const fitting = Object.entries(commands).filter(([name]) => first === undefined || name.startsWith(`${first} `));
  const words = await Promise.all(
    fitting.map(async ([name, load]) => {
      const [one = '', two] = name.split(' ');
      const { summary } = await load();
      return first === undefined
        ? { word: one, about: two === undefined ? summary : `${one} ...` }
        : { word: two ?? '', about: summary };
    }),
  );
  return [...new Map(words.map((each) => [each.word, each])).values()];
}

async function wordsOf(
  command: Command,
  rest: readonly string[],
  { last, names }: { readonly last: string; readonly names: Names },
): Promise<readonly Candidate[]> {
  const options: Options = { ...command.options, ...everywhere };
  const open = optionOf(options, rest.at(-1) ?? '');
  if (open !== null && open.option.type !== 'flag') {
    const source = values[open.name] ?? sources[open.option.value ?? ''];
    return plain(source === undefined ? [] : await source(names), open.option.about);
  }
  if (last.startsWith('-')) return Object.entries(options).map(([name, { about }]) => ({ word: `--${name}`, about }));
  const [operand] = command.operands;
  const source = operand === undefined ? undefined : sources[operand.name];
  const given = new Set(rest);
  const found = source === undefined ? [] : await source(names);
  return plain(
    found.filter((word) => !given.has(word)),
    operand?.name.toLowerCase() ?? '',
  );
}

function optionOf(options: Options, word: string): { readonly name: string; readonly option: Option } | null {
  const found = Object.entries(options).find(([name, { short }]) => word === `--${name}` || word === `-${short}`);
  return found === undefined ? null : { name: found[0], option: found[1] };
}

function plain(words: readonly string[], about: string): readonly Candidate[] {
  return words.map((word) => ({ word, about }));
}
