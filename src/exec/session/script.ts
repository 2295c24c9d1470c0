/**
 * A stateful shell: bash where the sandbox has it, else sh. The latter must work in busybox ash, dash and bash.
 *
 *   fd 7      requests, a line each, whole when it ends in " #."; 8, 9: where marks go. A command sees none of them
 *   M NONCE   answers the end of the text before it. It is a line of its own, so that no variable holds the nonce while
 *             the text runs, and read at the head of the loop, so that `continue` cannot skip it
 *   S ...     tells the directory and what some names are defined as, from a copy of the shell that ends with it
 *   SIGURG    ends the text that runs in dash and ash: an error in a trap unwinds them to `command eval`, and nothing of
 *             the text runs after it. bash has no such way out (it may run another command first), so it is ended with
 *             its text; its snapshot is complete, where that of the others lacks functions
 *
 * `command eval` keeps syntax errors from ending dash and ash, and the text is not inside a function, where `set --`,
 * `declare` and `return` mean something else. The snapshot is written before the end is reported, by rename.
 *
 * Functions and aliases of the caller do not reach what stands here. All is one group, read before any alias is taken
 * up; what is read later (`eval`, and `$(...)` in older bash) begins with `\command`; the text defines no functions,
 * since a caller could redefine them; and every builtin is called by `command`, which functions do not shadow. Only one called
 * `command` would: it is taken away when its text has ended, and stderr says so.
 *
 * After a text, IFS is not assigned to: the caller may have made it read-only, which would end dash and ash. Whatever it
 * is, `read` into one variable takes no more than white space off the ends, and one last character: the dot of a request. A
 * `read` without a time of its own has the one of TMOUT, which bash knows.
 *
 * The loop is `loop.sh` with parts for each kind of shell (`bash/`, `sh/`), put together here. Its text comes by stdin, and
 * nonces in halves (`halves.ts`): a text may read and print all that its shell was given.
 */
import { insertedIn, scriptOf, type FedCommand } from '../../inside/script.ts';
import { halvesOf } from '../lane/halves.ts';
import { onOneLine } from './one-line.ts';

type Inserts = Readonly<Record<string, string>>;

const part = (name: string): string => scriptOf(`sessions/${name}`);

function partsForBoth(): Inserts {
  return {
    measure: part('measure'),
    given: part('given'),
    look_around: part('look-around'),
    limits: part('limits'),
    mark: part('mark'),
    put: part('put'),
    look: part('look'),
    command_gone: part('command-gone'),
  };
}

export function partsOfBash(): Inserts {
  return {
    kind: 'bash',
    newline: String.raw`$'\n'`,
    reading: '${TMOUT:+"-t1000000000"}',
    unposix: 'command set +o posix',
    begin: part('bash/begin.bash'),
    take_up: part('bash/take-up.bash'),
    take_up_last: part('bash/take-up-last.bash'),
    intact: part('bash/intact.bash'),
    aside: part('bash/aside.bash'),
    look_first: part('bash/look-first.bash'),
    lines: part('bash/lines.bash'),
    unsignaled: part('bash/unsignaled.bash'),
    verbose: part('bash/verbose.bash'),
    dump: part('bash/dump.bash'),
    definitions: part('bash/definitions.bash'),
  };
}

function partsOfSh(): Inserts {
  return {
    kind: 'sh',
    newline: "'\n'",
    reading: '',
    unposix: '',
    begin: part('sh/begin'),
    take_up: part('sh/take-up'),
    take_up_last: '',
    intact: part('sh/intact'),
    aside: '',
    look_first: '',
    unsignaled: part('sh/unsignaled'),
    // These shells show the lines of files alone.
    verbose: 'command set -v',
    dump: part('sh/dump'),
    definitions: part('sh/definitions'),
  };
}

/** bash numbers the lines of a text from the line on which its `eval` stands: the whole loop is on the first one. */
export const loopOfBash = (): string => onOneLine(loopOf(partsOfBash()));

export const loopOf = (inserts: Inserts): string => insertedIn(part('loop'), { ...partsForBoth(), ...inserts });

/** The loop that is not for this shell may be one that it cannot parse, so that both are words until one is chosen. */
function programOf(key: string, nonce: string, name: string): string {
  return [
    `set -- ${[key, halvesOf(nonce), name].map(quoted).join(' ')}`,
    scriptOf('kept', 'sessions/start'),
    `if command -v bash >/dev/null; then set -- "$@" ${quoted(loopOfBash())}; else set -- "$@" ${quoted(loopOf(partsOfSh()))}; fi`,
  ].join('\n');
}

export function sessionStart(key: string, nonce: string, name: string): FedCommand {
  // A shell that read its text as it goes would have to give up its stdin in the middle of it.
  const program = Buffer.from(programOf(key, nonce, name));
  const reads = `eval "$(head -c${program.length})";eval "$3"`;
  return { command: ['sh', '-c', part('choose'), 'caisson-session', reads], program };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
