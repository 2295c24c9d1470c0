/** From the words of a command line to its command. */
import type { Command } from './command.ts';
import { commands } from './commands.ts';
import { nearest } from '../lib/nearest.ts';
import { everywhere, type Options } from './option.ts';
import { UsageError } from './usage.ts';

/** Words that other tools have for what is here under another name. */
const elsewhere: Readonly<Record<string, string>> = {
  list: 'ls',
  jobs: 'ps',
  info: 'inspect',
  show: 'inspect',
  shell: 'sh',
  ssh: 'sh',
  connect: 'sh',
  delete: 'rm',
  remove: 'rm',
  destroy: 'rm',
  prune: 'gc',
  clean: 'gc',
  images: 'image ls',
  build: 'image build',
  copy: 'cp',
  metrics: 'stats',
  check: 'doctor',
  new: 'create',
  'config get': 'config show',
};

export type CommandMatch =
  | { readonly kind: 'command'; readonly command: Command; readonly args: readonly string[] }
  | { readonly kind: 'group'; readonly group: string; readonly commands: readonly Command[] };

/** Options that hold everywhere may stand before the command. `help NAME` is `NAME --help`. */
export async function findCommand(argv: readonly string[]): Promise<CommandMatch> {
  const { leading, words } = splitLeading(argv);
  const [first, second] = words;
  if (first === undefined) throw new UsageError('which command?', { remedy: 'caisson --help lists them' });
  if (first === 'help') return findCommand([...words.slice(1), '--help']);
  const loadPair = second === undefined ? undefined : own(`${first} ${second}`);
  if (loadPair !== undefined)
    return { kind: 'command', command: await loadPair(), args: [...leading, ...words.slice(2)] };
  const load = own(first);
  // A command may have others beside it, such as `mcp` and `mcp config`: a word is then meant as one of those.
  const isOther = second !== undefined && !second.startsWith('-') && isGroup(first);
  if (load !== undefined && !isOther)
    return { kind: 'command', command: await load(), args: [...leading, ...words.slice(1)] };
  return findGroup(first, second);
}

const isGroup = (first: string): boolean => Object.keys(commands).some((name) => name.startsWith(`${first} `));

async function findGroup(first: string, second: string | undefined): Promise<CommandMatch> {
  const names = Object.keys(commands).filter((name) => name.startsWith(`${first} `));
  if (names.length === 0) throw unknownCommandError(first);
  if (second === '--help' || second === '-h') {
    return { kind: 'group', group: first, commands: await Promise.all(names.flatMap((name) => own(name)?.() ?? [])) };
  }
  const choices = names.map((name) => name.slice(first.length + 1));
  if (second === undefined || second.startsWith('-')) {
    throw new UsageError(`caisson ${first} needs one of: ${choices.join(', ')}`, { remedy: `caisson ${first} --help` });
  }
  const near = nearest(second, choices);
  const meant = elsewhere[`${first} ${second}`] ?? (near === null ? null : `${first} ${near}`);
  throw new UsageError(`unknown command ${first} ${second}`, {
    remedy: meant === null ? `one of: ${choices.join(', ')}` : `did you mean ${meant}?`,
  });
}

function own(name: string): (() => Promise<Command>) | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

function unknownCommandError(word: string): UsageError {
  const firstWords = [...new Set(Object.keys(commands).map((name) => name.split(' ')[0] ?? name))];
  const near = (Object.hasOwn(elsewhere, word) ? elsewhere[word] : undefined) ?? nearest(word, firstWords);
  return new UsageError(`unknown command ${word}`, {
    remedy: near === null ? 'caisson --help lists all commands' : `did you mean caisson ${near}?`,
  });
}

function splitLeading(argv: readonly string[]): {
  readonly leading: readonly string[];
  readonly words: readonly string[];
} {
  let at = 0;
  while (argv[at]?.startsWith('-') === true) at += takesNext(argv[at] ?? '') ? 2 : 1;
  return { leading: argv.slice(0, at), words: argv.slice(at) };
}

function takesNext(word: string): boolean {
  const options: Options = everywhere;
  const entry = Object.entries(options).find(([name, { short }]) => word === `--${name}` || word === `-${short ?? ''}`);
  const [, option] = entry ?? [];
  if (option === undefined && !word.includes('='))
    throw new UsageError(`unknown option ${word} before the command`, { remedy: 'caisson --help' });
  return option !== undefined && option.type !== 'flag';
}
