/**
 * A request to a lane, as the bytes to write. Words are quoted here, once, and evaluated there, once; nothing in them is
 * ever read as shell text. NUL cannot travel in argv or environment on any system and is refused before this.
 */
import { halvesOf } from './halves.ts';

/** `read` in a shell takes one byte a system call; `head` costs a fork. They meet at about this length. */
const longestLine = 1024;

/** The kernel's bound on one argument or variable, with its NUL (execve(2): MAX_ARG_STRLEN is 32 pages). */
export const longestWord = 131_071;

/** Names that shells set, change or refuse to export themselves; `env` carries them past the shell. */
const shellsOwn = new Set([
  'UID',
  'EUID',
  'PPID',
  'BASHOPTS',
  'SHELLOPTS',
  'GROUPS',
  'RANDOM',
  'SECONDS',
  'LINENO',
  '_',
  'OPTIND',
  'OPTARG',
  'PWD',
  'OLDPWD',
  'SHLVL',
  'LC_ALL',
  'BASHPID',
  'EPOCHSECONDS',
  'EPOCHREALTIME',
  'SRANDOM',
  'DIRSTACK',
  'FUNCNAME',
  'BASH_ARGC',
  'BASH_ARGV',
  'BASH_LINENO',
  'BASH_SOURCE',
  'BASH_VERSINFO',
  'HISTCMD',
  'COMP_WORDBREAKS',
  'BASH_CMDS',
  'BASH_ALIASES',
  'BASH_SUBSHELL',
  'BASH_COMMAND',
  'BASH_ARGV0',
  'FUNCNEST',
  'BASH_XTRACEFD',
  'PIPESTATUS',
  'POSIXLY_CORRECT',
  'IFS',
]);

export interface LaneCommand {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface LaneRequest extends LaneCommand {
  /** 24 characters of [A-Za-z0-9_-], never used before. */
  readonly nonce: string;
}

export function encodeRequest({ nonce, ...request }: LaneRequest): Buffer {
  return framed(['_cz_run', halvesOf(nonce), ...wordsOf(request), '#.'].join(' '));
}

export interface ReadyRequest {
  readonly tag: string;
  /** Nonce of all marks about the request. */
  readonly nonce: string;
}

/** Has the lane start a child that waits for the request with this tag. */
export function encodeReady({ tag, nonce }: ReadyRequest): Buffer {
  return framed(`_cz_ready ${tag} ${halvesOf(nonce)} #.`);
}

/** A request to the child that waits. The nonce reaches it only here: its arguments are for every process to read. */
export function encodeNow({ tag, nonce, ...request }: LaneRequest & { readonly tag: string }): Buffer {
  return framed(['_cz_now', tag, halvesOf(nonce), ...wordsOf(request), '#.'].join(' '));
}

/**
 * Directory, variables and command. What a shell may take for an option of `exec` goes by way of `env`, and then `-e`
 * announces the name of the program itself, which is the one to be found.
 */
function wordsOf({ command, cwd, env }: LaneCommand): readonly string[] {
  const { plain, past } = splitEnv(env);
  const throughEnv = past.length > 0 || command[0].startsWith('-');
  const before = throughEnv ? ['-e', quote(command[0]), '"$_cz_env"', '--', ...past.map(quote)] : ['--'];
  return [quote(cwd), ...plain.map(quote), ...before, ...command.map(quote)];
}

/** Asks the lane once more who of these holds its streams: pids, or everybody. */
export function encodeAgain(nonce: string, holders: readonly number[] | 'all'): Buffer {
  const words = holders === 'all' ? ['-a'] : holders.map((pid) => `p${pid}`);
  return framed(`_cz_nonce=${halvesOf(nonce)}; _cz_again ${words.join(' ')} #.`);
}

/** Ends the child that stands ready, and then the lane. */
export function encodeEnd(hasChild: boolean): Buffer {
  return Buffer.from('exit 77 #.\n'.repeat(hasChild ? 2 : 1));
}

/** Whether this command can travel to a lane at all. `env` takes a program with "=" in its name for a variable. */
export function fitsLane(request: LaneCommand): boolean {
  const [program] = request.command;
  if (program.includes('=') && (program.startsWith('-') || splitEnv(request.env).past.length > 0)) return false;
  const pairs = Object.entries(request.env).map(([name, value]) => `${name}=${value}`);
  return [...request.command, ...pairs].every((word) => Buffer.byteLength(word) <= longestWord);
}

function splitEnv(env: Readonly<Record<string, string>>): { readonly plain: string[]; readonly past: string[] } {
  const plain: string[] = [];
  const past: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    (isShellsOwn(name) ? past : plain).push(`${name}=${value}`);
  }
  return { plain, past };
}

/** Whether a shell would set, change or not export a variable of this name. */
export function isShellsOwn(name: string): boolean {
  return shellsOwn.has(name) || name.startsWith('_cz_') || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/** Means itself to every shell. Two bytes less are two or four system calls less: `read` takes one at a time. */
const plainWord = /^[A-Za-z0-9_/][A-Za-z0-9_/.,:=+@-]*$/;

/** A line cannot hold a newline, so a quoted one is spelled by a variable that holds it. */
function quote(word: string): string {
  if (plainWord.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`).replaceAll('\n', `'"$_cz_newline"'`)}'`;
}

function framed(line: string): Buffer {
  const bytes = Buffer.from(line);
  if (bytes.length <= longestLine) return Buffer.concat([bytes, newline]);
  return Buffer.concat([Buffer.from(`B ${bytes.length} .\n`), bytes]);
}

const newline = Buffer.from('\n');
