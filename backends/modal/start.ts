/** Starts a command in a sandbox, once. */
import { randomBytes } from 'node:crypto';
import type { ExecOptions, PtyProcess } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { shellText } from '../../src/lib/script.ts';
import { throwIfAborted, untilAborted } from '../shared/abort.ts';
import { NotStartedProcess } from '../shared/not-started.ts';
import { notStartedOf, quote, shellsOwn } from '../shared/preamble.ts';
import { execBinary, ModalProcess } from './process.ts';
import { patiently } from './retry.ts';
import { reachIn } from './reach.ts';
import type { Handle } from './sdk.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Launch {
  readonly command: readonly [string, ...string[]];
  readonly options: Omit<ExecOptions, 'stdin'>;
  readonly stdin: boolean;
  readonly terminal: Size | null;
}

/** The SDK refuses more than 65536 characters of arguments; the script and its own arguments take some. */
const maxArguments = 48_000;

/** Errors of the SDK come out as they are. */
export async function startProcess(handle: Handle, launch: Launch): Promise<PtyProcess> {
  const { options, stdin } = launch;
  throwIfAborted(options);
  const nonce = randomBytes(12).toString('hex');
  const { args, input, env } = requestOf(launch, nonce);
  const terminal = launch.terminal !== null;
  options.onSent?.();
  // One that was refused for being too many has not started; of any other failure that is not known.
  const asked = patiently(() => execBinary(handle, args, { env, pty: terminal }), options.signal, [
    'resource_exhausted',
  ]);
  const starting = asked.then((running) => {
    const process = new ModalProcess({ running, nonce, stdin, terminal, reach: reachIn(handle) });
    if (input !== null) process.feed(input);
    return process;
  });
  const process = await untilAborted(starting, options.signal, endLate);
  try {
    return await untilAborted(begun(process, launch), options.signal);
  } catch (error) {
    endLate(process);
    throw error;
  }
}

async function begun(process: ModalProcess, launch: Launch): Promise<PtyProcess> {
  const [word = '', pid = '', born = ''] = (await process.head).split(' ');
  if (word === 'ok' && /^\d+$/.test(pid) && /^\d+$/.test(born)) {
    process.id = { pid: Number(pid), born };
    return process;
  }
  const notStarted = notStartedOf(word);
  if (notStarted === null) throw startRefusedError(word, launch);
  process.release();
  return new NotStartedTerminal(notStarted, launch.stdin);
}

class NotStartedTerminal extends NotStartedProcess implements PtyProcess {
  async resize(): Promise<void> {}
}

interface Request {
  readonly args: string[];
  /** What goes through stdin before all else: words that are too long for arguments. */
  readonly input: string | null;
  readonly env: { [name: string]: string };
}

/** Values of the environment travel in its own field of the request, but for names that a shell keeps to itself. */
function requestOf({ command, options, stdin, terminal }: Launch, nonce: string): Request {
  const isPast = (name: string): boolean => shellsOwn.has(name) || name === 'IFS';
  const past = Object.entries(options.env).filter(([name]) => isPast(name));
  check(command, options, past.length);
  const words = [...past.map(([name, value]) => `${name}=${value}`), ...command];
  const isLong = words.reduce((sum, word) => sum + word.length, 0) > maxArguments;
  if (isLong && terminal !== null)
    throw new CaissonError(
      'invalid_argument',
      'the arguments of a command on a terminal have 48,000 characters at most',
    );
  const input = isLong ? words.map(quote).join(' ') : null;
  const size = terminal === null ? '-' : `${terminal.rows}x${terminal.columns}`;
  const bytes = input === null ? '-' : String(Buffer.byteLength(input));
  const about = [nonce, options.cwd, stdin || terminal !== null ? '1' : '0', bytes, size, String(past.length)];
  return {
    args: ['/bin/sh', '-c', shellText('backends/modal/start'), 'sh', ...about, ...(input === null ? words : [])],
    input,
    env: Object.fromEntries(Object.entries(options.env).filter(([name]) => !isPast(name))),
  };
}

/** NUL cannot travel in arguments, paths or the environment of any system. */
function check(command: Launch['command'], { cwd, env }: Launch['options'], past: number): void {
  if ([...command, cwd, ...Object.values(env)].some((text) => text.includes('\0')))
    throw new CaissonError('invalid_argument', 'arguments, directory and environment cannot hold NUL');
  if (past > 0 && command[0].includes('='))
    throw new CaissonError('invalid_argument', 'a program with "=" in its name cannot have variables of the shell');
}

function startRefusedError(word: string, { options: { cwd } }: Launch): CaissonError {
  if (word === 'cwd')
    return new CaissonError('invalid_argument', `the working directory ${cwd} is not a directory that can be entered`, {
      details: { cwd },
      remedy: 'create it first, or choose another cwd',
    });
  return new CaissonError('not_supported', 'the sandbox has no /proc, by which processes are found', {
    remedy: 'use another image',
  });
}

/** Ends a start that was aborted or failed. The rest of its tree is core's to find, by its mark. */
function endLate(process: ModalProcess): void {
  void killed(process).finally(() => process.release());
}

async function killed(process: ModalProcess): Promise<void> {
  try {
    const [word = '', pid = '', born = ''] = (await process.head).split(' ');
    if (word !== 'ok') return;
    process.id = { pid: Number(pid), born };
    await process.kill('SIGKILL');
  } catch {
    // It never began, or has ended.
  }
}
