/**
 * Looks inside, before a command starts, whether its directory can be entered and its program is there. The engine is never
 * given a directory, since it would follow links in it on its own side; and what it or a shell says of a missing program
 * would appear as output of the command.
 */
import type { NotStarted, ProcessEnd } from '../../../src/backend.ts';
import { CaissonError } from '../../../src/errors.ts';
import { shellText } from '../../../src/lib/script.ts';
import { shellsOwn } from '../../shared/preamble.ts';
import type { Command, Container, StartOptions } from './start.ts';
import { delay } from '../engine/delay.ts';
import { ExecProcess } from './process.ts';

/** Exit code of look.sh. */
const noDirectory = 90;

/** Becomes the command in its directory. */
const enter = 'cd -- "$1" && shift && unset PWD OLDPWD SHLVL && exec "$@"';

/** A busy engine fails now and then. */
const looks = 3;
const pauseMs = 100;

/** Throws `invalid_argument` for a directory that cannot be entered. `null`: the command can start. */
export async function preflight(
  container: Container,
  command: Command,
  options: StartOptions,
): Promise<NotStarted | null> {
  const { exitCode } = await look(container, command, options);
  if (exitCode === noDirectory) throw directoryError(options.cwd);
  return seenBy(exitCode);
}

/** Looks why the engine has not started the command. `null`: no look came about, or none found a reason. */
export async function classify(
  container: Container,
  command: Command,
  options: StartOptions,
): Promise<NotStarted | null> {
  for (let tries = 1; tries <= looks; tries += 1) {
    const end = await look(container, command, options).catch(() => null);
    // A shell that the engine has not started either says nothing about the command.
    if (end !== null && end.notStarted === undefined) return seenBy(end.exitCode);
    await delay(pauseMs);
  }
  return null;
}

function seenBy(exitCode: number | null): NotStarted | null {
  if (exitCode === 127) return 'not-found';
  return exitCode === 126 ? 'not-executable' : null;
}

async function look(container: Container, [program]: Command, { cwd, env, signal }: StartOptions): Promise<ProcessEnd> {
  const command: Command = ['sh', '-c', shellText('backends/docker/exec/look'), 'caisson-look', cwd, program];
  const options = { cwd: '/', env: { ...env, CAISSON_EXEC: 'look' }, stdin: false, terminal: null };
  const process = await ExecProcess.start(container, command, signal === undefined ? options : { ...options, signal });
  for (const stream of [process.stdout, process.stderr]) stream.resume();
  return await process.wait().finally(() => process.release());
}

/** Variables that the shell would change on the way are set again by env(1). None of them ever holds a secret. */
export function entering(command: Command, { cwd, env }: Pick<StartOptions, 'cwd' | 'env'>): Command {
  const own = Object.entries(env).filter(([name]) => shellsOwn.has(name) || name === 'IFS');
  const before = own.length === 0 ? [] : ['env', '--', ...own.map(([name, value]) => `${name}=${value}`)];
  return ['sh', '-c', enter, 'sh', cwd, ...before, ...command];
}

function directoryError(cwd: string): CaissonError {
  return new CaissonError('invalid_argument', `the working directory ${cwd} is not a directory that can be entered`, {
    details: { cwd },
    remedy: 'create it first, let the user of the command enter it, or choose another cwd',
  });
}
