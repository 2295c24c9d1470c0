/** Starts a command in a running sandbox, once. */
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ExecOptions, Process } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { proxyVariables } from '../../src/values/proxy-variables.ts';
import { throwIfAborted, untilAborted } from '../shared/abort.ts';
import { startProcess } from '../shared/host-process.ts';
import { NotStartedProcess } from '../shared/not-started.ts';
import { type Launch, notStartedOf, preamble } from '../shared/preamble.ts';
import type { Cgroup } from './cgroup.ts';
import { placeAll, settled } from './host-processes.ts';
import { clientEnv, execCommand, type Running } from './instance.ts';
import type { Registration } from './registration.ts';
import { noShellError, SingularityProcess } from './process.ts';
import { asAccount, type Host, programMissingError } from './program.ts';

export interface Start {
  readonly command: readonly [string, ...string[]];
  readonly options: ExecOptions;
  readonly registration: Registration;
  readonly running: Running;
  readonly cgroup: Cgroup | null;
}

/**
 * The shell reports by the first word of its output that it is there. When it gets the word to go on, it takes a session of
 * its own; then it takes one text, and becomes the command.
 */
const boot = `printf %s "$1"; read -r _cz_go && exec setsid /bin/sh -c 'eval "$(head -c $1)"' sh "$2"`;
const goOn = Buffer.from('\n');
const maxNoise = 64 * 1024;

/**
 * The container is joined by a shell that waits. Before it gets its command, it is put under the limits of its
 * sandbox; arguments, directory and environment then travel in its stdin, and are never in the arguments of a process
 * on the host. Throws what keeps the command from being started.
 */
export async function startExec(host: Host, start: Start): Promise<Process> {
  const { options, running, cgroup, registration } = start;
  throwIfAborted(options);
  const [nonce, word] = [randomBytes(12).toString('hex'), randomBytes(12).toString('hex')];
  const text = preamble(launchOf(start), nonce);
  const shell = ['/bin/sh', '-c', boot, 'sh', word, String(text.length)];
  const client = await startProcess(host.pipes, {
    ...asAccount(host, execCommand(host.program, registration, shell)),
    cwd: '/',
    env: { PATH: host.path, ...clientEnv(registration.directory) },
    stdin: true,
  });
  const joined = waits(client.stdout, word);
  const { namespace } = running;
  const process = new SingularityProcess({ process: client, nonce, namespace, stdin: options.stdin, cgroup });
  try {
    await untilAborted(joined, options.signal);
    if (cgroup !== null) await placeAll(namespace, cgroup);
    if (client.pid === null) throw programMissingError(host.program);
    await untilAborted(settled(client.pid), options.signal);
    throwIfAborted(options);
  } catch (error) {
    // Without a text, the shell ends at the end of its stdin, and starts nothing.
    client.stdin?.end();
    process.release();
    throw error;
  }
  options.onSent?.();
  client.stdin?.write(Buffer.concat([goOn, text]));
  if (!options.stdin) client.stdin?.end();
  return await untilAborted(begun(process, start), options.signal, (late) => void endLate(late));
}

function launchOf({ command, options: { cwd, env, stdin }, registration: { plan } }: Start): Launch {
  // The account's own home is on the host, and means nothing here.
  const proxy = plan.network === 'filtered' ? proxyVariables : {};
  return { command, cwd, env: { HOME: '/root', ...proxy, ...env }, stdin, guard: null, terminal: null };
}

/** Resolves when the word has come. Rejects when the stream ends before it: no shell was started. */
async function waits(stdout: Readable, word: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let seen = '';
  const look = (chunk: Buffer): void => {
    seen = `${seen}${chunk.toString('latin1')}`.slice(-maxNoise);
    if (seen.includes(word)) resolve();
  };
  stdout.on('data', look);
  stdout.once('close', () => reject(noShellError()));
  try {
    await promise;
  } finally {
    stdout.removeListener('data', look);
  }
}

/** Waits for the shell's answer. */
async function begun(process: SingularityProcess, { options }: Start): Promise<Process> {
  const [word, pid, born = ''] = (await process.head).split(' ');
  process.inside = { pid: Number(pid), born };
  if (word === 'ok') return process;
  process.release();
  const missing = notStartedOf(word);
  if (missing !== null) return new NotStartedProcess(missing, options.stdin);
  if (word === 'cwd')
    throw new CaissonError(
      'invalid_argument',
      `the working directory ${options.cwd} is not a directory that can be entered`,
      { details: { cwd: options.cwd }, remedy: 'create it first, or choose another cwd' },
    );
  throw new CaissonError('not_supported', 'the container has no /proc, by which processes are found');
}

/** Ends the command of an aborted start. */
async function endLate(process: Process): Promise<void> {
  try {
    await process.kill('SIGKILL');
  } catch {
    // The tree is core's to find by its mark.
  } finally {
    process.release();
  }
}
