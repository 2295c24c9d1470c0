/** Commands as another user of the container: a name is looked up inside once, and the engine starts processes by numbers. */
import type { ExecOptions, PtyProcess, Sandbox } from '../../../src/backend.ts';
import { CaissonError } from '../../../src/errors.ts';
import { shellText } from '../../../src/lib/script.ts';
import { untilAborted } from '../../shared/abort.ts';
import { ExecProcess } from './process.ts';
import { inWords, runIn } from './run.ts';
import type { Command, Container, StartOptions } from './start.ts';

/** Exit codes of user.sh. */
const noUser = 91;
const noGroup = 92;
/** Both: the engine would look up a group that is left out anew for each process, and one of another group is not seen. */
const numbers = /^\d{1,10}:\d{1,10}$/;
const maxAnswer = 64;
const lookMs = 10_000;

/**
 * Starts processes as the user, and sends them signals as the same user. The name is resolved to numbers once, and they are kept: a command
 * of root can give the name another number, and a kill must still reach the process that was started.
 */
export function asUser(container: Container, user: string): Pick<Sandbox, 'exec' | 'pty'> {
  let known = numbers.test(user) ? user : null;
  const run = async (command: Command, options: StartOptions): Promise<PtyProcess> => {
    const ids = known ?? (await idsOf(container, user, options));
    known = ids;
    return await runIn({ ...container, user: ids }, command, options);
  };
  return {
    exec: (command, options) => run(command, { ...options, terminal: null }),
    pty: {
      exec: (command, { columns, rows, ...rest }) =>
        run(command, { ...rest, stdin: true, terminal: { columns, rows } }),
    },
  };
}

/** Throws `invalid_argument` for a name that is absent: to the engine it would be a program that cannot be started. */
async function idsOf(container: Container, user: string, { signal }: Pick<ExecOptions, 'signal'>): Promise<string> {
  const [name = '', group = ''] = user.split(':');
  const late = AbortSignal.timeout(lookMs);
  const until = signal === undefined ? late : AbortSignal.any([signal, late]);
  const { exitCode, text } = await untilAborted(look(container, [name, group], until), until, () => undefined);
  if (exitCode === noGroup) throw absentError(`the sandbox has no group ${group}`, user);
  // Files of the sandbox say what they like.
  if (exitCode === noUser || !numbers.test(text)) throw absentError(`the sandbox has no user ${name}`, user);
  return text;
}

async function look(
  container: Container,
  words: readonly [string, string],
  signal: AbortSignal,
): Promise<{ readonly exitCode: number | null; readonly text: string }> {
  const command: Command = ['sh', '-c', shellText('backends/docker/exec/user'), 'caisson-user', ...words];
  try {
    const how = { cwd: '/', env: { CAISSON_EXEC: 'user' }, stdin: false, terminal: null, signal };
    const process = await ExecProcess.start(container, command, how);
    process.stderr.resume();
    let text = '';
    process.stdout.on('data', (chunk: Buffer) => {
      if (text.length < maxAnswer) text += chunk.toString('latin1');
    });
    const { exitCode } = await process.wait();
    await process.outputs();
    process.release();
    return { exitCode, text: text.trim() };
  } catch (error) {
    throw inWords(error);
  }
}

const absentError = (message: string, user: string): CaissonError =>
  new CaissonError('invalid_argument', message, {
    details: { user },
    remedy: 'make it first, by a command of root such as adduser, or name a number; nothing was started',
  });
