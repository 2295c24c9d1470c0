/**
 * What travels to the host to start one command.
 *
 * The command line that sshd hands to the login shell is short, always of the same form, and means the same to sh,
 * bash, zsh, csh and fish: it replaces itself by a POSIX shell that reads exactly one text from its stdin. All that is
 * the caller's (arguments, directory, environment) is in that text, so that none of it is ever in the arguments of a
 * process before the command itself, and an argument may be longer than the one string that sshd can pass on.
 *
 * The text is one group in braces: a torn one is a syntax error, and starts nothing.
 */
import type { NotStarted } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';

export interface Guard {
  /** File of the sandbox on its host; the command runs only while the file is there and says `running`. */
  readonly file: string;
  readonly sandbox: string;
}

export interface Launch {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: boolean;
  readonly guard: Guard | null;
  readonly terminal: { readonly columns: number; readonly rows: number } | null;
  readonly carrier?: Carrier | null;
}

/** A program that becomes the command, such as systemd-run, which sets limits first. It may refuse: then nothing has been started. */
export interface Carrier {
  /** Lines of shell that find the program. They answer for themselves when it is not there, by `_cz_say WORD -`. */
  readonly lines: readonly string[];
  /** Words of shell: the program and its arguments, up to where the command follows. */
  readonly words: readonly string[];
}

/** Names that a shell sets, keeps or refuses to export; `env` carries them past it. None of them ever holds a secret. */
export const shellsOwn: ReadonlySet<string> = new Set(
  `_ PWD OLDPWD SHLVL UID EUID PPID GROUPS BASHPID BASHOPTS SHELLOPTS OPTIND OPTARG RANDOM SRANDOM SECONDS LINENO
  EPOCHSECONDS EPOCHREALTIME DIRSTACK FUNCNAME FUNCNEST HISTCMD COMP_WORDBREAKS POSIXLY_CORRECT BASH_ARGC BASH_ARGV
  BASH_ARGV0 BASH_LINENO BASH_SOURCE BASH_VERSINFO BASH_CMDS BASH_ALIASES BASH_SUBSHELL BASH_COMMAND`.split(/\s+/),
);

/** An id, and no secret: it may stand in arguments for the moment until the shell is there. */
const plainId = /^[A-Za-z0-9_.:-]{1,128}$/;

/** A shell reads a line byte by byte, and a block by a process of its own: they meet at about this length. */
const longestLine = 1024;
const readsLine = 'IFS= LC_ALL=C read -r _cz_t && eval "$_cz_t"';
const readsBlock = 'eval "$(head -c $1)"';

/** What sshd gives to the login shell. The marks are there from the first moment, so that no kill comes too early. */
export function commandLine(launch: Launch, text: Buffer): string {
  return `exec env ${marksOf(launch).join(' ')} ${bootFor(text)}`;
}

/** The line of `commandLine` for a POSIX shell. */
export function shellLine(launch: Launch, text: Buffer): string {
  const marks = marksOf(launch);
  return `${marks.length === 0 ? '' : `export ${marks.join(' ')}; `}exec ${bootFor(text)}`;
}

function marksOf({ guard, env }: Launch): readonly string[] {
  const execId = env['CAISSON_EXEC'] ?? '';
  return [
    ...(guard === null ? [] : [`CAISSON_SANDBOX=${guard.sandbox}`]),
    ...(plainId.test(execId) ? [`CAISSON_EXEC=${execId}`] : []),
  ];
}

function bootFor(text: Buffer): string {
  const isLine = text.length <= longestLine && text.indexOf('\n') === text.length - 1;
  return isLine ? `/bin/sh -c '${readsLine}' sh` : `/bin/sh -c '${readsBlock}' sh ${text.length}`;
}

/** Answers `NONCE WORD PID BORN;` on stdout and, without a terminal, `NONCE;` on stderr; what a login printed before is not the command's. */
export function preamble(launch: Launch, nonce: string): Buffer {
  check(launch);
  return Buffer.from(
    `{ ${[
      `_cz_say() { printf '%s %s %s %s;' ${nonce} "$1" $$ "$2"${launch.terminal === null ? `; printf '%s;' ${nonce} >&2` : ''}; }`,
      ...guardLines(launch.guard),
      `cd -- ${quote(launch.cwd)} 2>/dev/null || { _cz_say cwd -; exit 126; }`,
      'read -r _cz_x 2>/dev/null </proc/$$/stat || { _cz_say proc -; exit 126; }',
      'set -- ${_cz_x##*) }',
      // It was raw and silent while the text came.
      ...(launch.terminal === null ? [] : ['stty sane']),
      '_cz_b="${20}"',
      'unset OLDPWD SHLVL SSH_CLIENT SSH_CONNECTION SSH_TTY SSH_ORIGINAL_COMMAND',
      ...execLines(launch, nonce),
    ].join('; ')}; }\n`,
  );
}

function guardLines(guard: Guard | null): readonly string[] {
  if (guard === null) return [];
  return [
    `read -r _cz_x _cz_y _cz_z 2>/dev/null <${quote(guard.file)} || { _cz_say gone -; exit 126; }`,
    `[ "$_cz_x" = ${quote(guard.sandbox)} ] || { _cz_say gone -; exit 126; }`,
    '[ "$_cz_y" = running ] || { _cz_say stopped -; exit 126; }',
  ];
}

/**
 * Shells differ in what they take for an option of `exec`, and keep some variables to themselves: `env` has neither
 * fault, but takes the rest of its own words, up to the first without `=`, for variables.
 */
function execLines(launch: Launch, nonce: string): readonly string[] {
  const { command, env, stdin } = launch;
  const carrier = carrierOf(launch);
  // Behind a carrier comes another shell, which does not take this one as it is.
  const isPast = (name: string): boolean => shellsOwn.has(name) || (carrier !== null && name === 'IFS');
  const past = Object.entries(env).filter(([name]) => isPast(name));
  const exported = Object.entries(env).filter(([name]) => !isPast(name));
  const throughEnv = past.length > 0 || command[0].startsWith('-');
  if (throughEnv && command[0].includes('='))
    throw new CaissonError('invalid_argument', 'a program with "=" in its name cannot have variables of the shell', {
      details: { names: past.map(([name]) => name) },
    });
  const prefix = throughEnv ? ['"$_cz_x" --', ...past.map(assignment)] : [];
  return [
    ...(carrier?.lines ?? []),
    // Looked for before the command's own PATH is set.
    ...(throughEnv ? ['_cz_x=$(command -v env)'] : []),
    ...(exported.length > 0 ? [`{ export ${exported.map(assignment).join(' ')}; } 2>/dev/null`] : []),
    ...lookUp(command[0]),
    ...(carrier === null ? ['_cz_say ok "$_cz_b"'] : []),
    `exec ${[...carried(launch, nonce), ...prefix, ...command.map(quote)].join(' ')}${stdin ? '' : ' </dev/null'}`,
  ];
}

/**
 * The shell's own report of a program that is missing would be on the stderr of the command. Looked for by the command's
 * own PATH, and where it is named by a path, from its directory.
 */
function lookUp(program: string): readonly string[] {
  const name = quote(program);
  const judge = '[ -z "$_cz_z" ] || { _cz_say $_cz_z -; exit $_cz_z; }';
  if (program.includes('/'))
    return [
      '_cz_z=',
      `if [ ! -e ${name} ]; then _cz_z=127; elif [ -d ${name} ] || [ ! -x ${name} ]; then _cz_z=126; fi`,
      judge,
    ];
  const file = `"\${_cz_q:-.}"/${name}`;
  return [
    '_cz_y=$PATH: _cz_z=127',
    `while [ "$_cz_y" ]; do _cz_q=\${_cz_y%%:*} _cz_y=\${_cz_y#*:}; [ ! -f ${file} ] || { _cz_z=126; [ ! -x ${file} ] || { _cz_z=; break; }; }; done`,
    judge,
  ];
}

/** The answer's word where the program cannot start; `null` for every other one. */
export function notStartedOf(word: string | undefined): NotStarted | null {
  if (word === '127') return 'not-found';
  return word === '126' ? 'not-executable' : null;
}

function carrierOf({ carrier = null }: Launch): Carrier | null {
  return carrier;
}

/** The process stays one all along: the carrier becomes a shell, which answers and becomes the command. */
function carried(launch: Launch, nonce: string): readonly string[] {
  const carrier = carrierOf(launch);
  if (carrier === null) return [];
  const onStderr = launch.terminal === null ? '; printf "%s;" "$1" >&2' : '';
  const inside = `printf "%s ok %s %s;" "$1" $$ "$2"${onStderr}; shift 2; unset INVOCATION_ID; exec "$@"`;
  return [...carrier.words, '/bin/sh', '-c', quote(inside), 'sh', nonce, '"$_cz_b"'];
}

function assignment([name, value]: readonly [string, string]): string {
  return `${name}=${quote(value)}`;
}

/** NUL cannot travel in arguments, paths or the environment of any system. */
function check({ command, cwd, env }: Launch): void {
  if ([...command, cwd, ...Object.values(env)].some((text) => text.includes('\0')))
    throw new CaissonError('invalid_argument', 'arguments, directory and environment cannot hold NUL');
  const odd = Object.keys(env).find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (odd !== undefined) throw new CaissonError('invalid_argument', `${JSON.stringify(odd)} is no name of a variable`);
}

export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
