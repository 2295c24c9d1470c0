/**
 * Looks inside, before a command starts, whether its directory can be entered and its program is there. The engine is never
 * given a directory, since it would follow links in it on its own side; and what it or a shell says of a missing program
 * would appear as output of the command.
 */
import type { NotStarted } from '../../../src/backend.ts';
import { CaissonError } from '../../../src/errors.ts';
import { shellText } from '../../../src/lib/script.ts';
import { shellsOwn } from '../../shared/preamble.ts';
import type { Command, Container, StartOptions } from './start.ts';
import { ExecProcess } from './process.ts';

/** Exit code of look.sh. */
const noDirectory = 90;

/** Becomes the command in its directory. */
const enter = 'cd -- "$1" && shift && unset PWD OLDPWD SHLVL && exec "$@"';

/** Throws `invalid_argument` for a directory that cannot be entered. `null`: the command can start. */
export async function preflight(
  container: Container,
  [program]: Command,
  { cwd, env, signal }: StartOptions,
): Promise<NotStarted | null> {
  const command: Command = ['sh', '-c', shellText('backends/docker/exec/look'), 'caisson-look', cwd, program];
  const options = { cwd: '/', env: { ...env, CAISSON_EXEC: 'look' }, stdin: false, terminal: null };
  const process = await ExecProcess.start(container, command, signal === undefined ? options : { ...options, signal });
  for (const stream of [process.stdout, process.stderr]) stream.resume();
  const { exitCode } = await process.wait().finally(() => process.release());
  if (exitCode === noDirectory) throw directoryError(cwd);
  if (exitCode === 127) return 'not-found';
  return exitCode === 126 ? 'not-executable' : null;
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
