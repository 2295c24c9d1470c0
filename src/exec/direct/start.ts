/** Starts a command on the direct path behind a watcher, where the streams are carried by a service that may drop bytes. */
import type { ExecOptions, Process, Sandbox } from '../../backend.ts';
import { whenOpened } from '../lane/opened.ts';
import { carried } from '../../inside/carried.ts';
import { scriptOf } from '../../inside/script.ts';
import { newNonce } from '../random.ts';
import { execVariable } from '../../values/exec-variable.ts';
import { type Leader, MarkedProcess } from './marked-process.ts';
import { watcherOf } from './request.ts';

/** Throws what `exec` throws. `invalid_argument` also for a directory that cannot be entered: nothing has run then. */
export async function startDirect(
  sandbox: Pick<Sandbox, 'exec' | 'dropsLate'>,
  command: readonly [string, ...string[]],
  options: ExecOptions,
): Promise<Process> {
  const nonce = newNonce();
  // Stdin that is not the command's is free for the word that the marks have come.
  const waits = sandbox.dropsLate === true && !options.stdin;
  const watcher = watcherOf(command, options, { nonce, waits });
  if (watcher === null) return await sandbox.exec(command, options);
  const how = { ...options, stdin: waits || options.stdin, cwd: '/', env: watcher.env };
  const inner = await sandbox.exec(watcher.command, how);
  const signal = (leader: Leader, name: string): Promise<void> => signalLeader(sandbox, leader, name);
  return await whenOpened(new MarkedProcess(inner, { nonce, signal, waits }), options.cwd, options.signal);
}

const signalMs = 5000;

async function signalLeader(sandbox: Pick<Sandbox, 'exec'>, { pid, born }: Leader, name: string): Promise<void> {
  const { command, env } = carried('signal', scriptOf('signal-leader'), [pid, born, name.slice('SIG'.length)]);
  const process = await sandbox.exec(command, {
    cwd: '/',
    env: { ...env, [execVariable]: 'signal' },
    stdin: false,
    signal: AbortSignal.timeout(signalMs),
  });
  process.stdout.resume();
  process.stderr.resume();
  await process.wait().finally(() => process.release());
}
