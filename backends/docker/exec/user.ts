/** Commands as another user of the container: the engine looks the name up inside, and starts the process as that user. */
import type { ExecOptions, PtyProcess, Sandbox } from '../../../src/backend.ts';
import { CaissonError } from '../../../src/errors.ts';
import { shellText } from '../../../src/lib/script.ts';
import { ExecProcess } from './process.ts';
import { inWords, runIn } from './run.ts';
import type { Command, Container, StartOptions } from './start.ts';

/** Exit codes of user.sh. */
const noUser = 91;
const noGroup = 92;

/** What signals a process and looks for its program runs as the same user. */
export function asUser(container: Container, user: string): Pick<Sandbox, 'exec' | 'pty'> {
  const own = { ...container, user };
  const run = async (command: Command, options: StartOptions): Promise<PtyProcess> => {
    await checkIsThere(container, user, options);
    return await runIn(own, command, options);
  };
  return {
    exec: (command, options) => run(command, { ...options, terminal: null }),
    pty: {
      exec: (command, { columns, rows, ...rest }) =>
        run(command, { ...rest, stdin: true, terminal: { columns, rows } }),
    },
  };
}

/** Without it, an unknown user would be a program that cannot be started. A look that ends in another way leaves that to the start. */
async function checkIsThere(
  container: Container,
  user: string,
  { signal }: Pick<ExecOptions, 'signal'>,
): Promise<void> {
  const [name = '', group = ''] = user.split(':');
  const isByNumber = [name, group].every((part) => /^\d*$/.test(part));
  const exitCode = isByNumber ? 0 : await look(container, [name, group], signal);
  if (exitCode === noUser) throw absentError(`the sandbox has no user ${name}`, user);
  if (exitCode === noGroup) throw absentError(`the sandbox has no group ${group}`, user);
}

async function look(
  container: Container,
  words: readonly [string, string],
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const command: Command = ['sh', '-c', shellText('backends/docker/exec/user'), 'caisson-user', ...words];
  const how = { cwd: '/', env: { CAISSON_EXEC: 'user' }, stdin: false, terminal: null };
  try {
    const process = await ExecProcess.start(container, command, signal === undefined ? how : { ...how, signal });
    for (const stream of [process.stdout, process.stderr]) stream.resume();
    return (await process.wait().finally(() => process.release())).exitCode;
  } catch (error) {
    throw inWords(error);
  }
}

const absentError = (message: string, user: string): CaissonError =>
  new CaissonError('invalid_argument', message, {
    details: { user },
    remedy: 'make it first, by a command of root such as adduser, or name a number; nothing was started',
  });
