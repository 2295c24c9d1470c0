/** One command as a process of this host, in a session of its own. */
import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { access } from 'node:fs/promises';
import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecOptions, Outputs, Process, ProcessEnd } from '../../src/backend.ts';
import { abortError, CaissonError } from '../../src/errors.ts';
import { mark } from './marked.ts';

/** How long the last bytes may take when no other process holds a stream. */
const lastBytesMs = 250;

export async function startProcess(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env, stdin, signal, onSent }: ExecOptions,
  sandbox: string,
): Promise<Process> {
  await access(`${cwd}/.`).catch((cause: unknown) => {
    throw new CaissonError('invalid_argument', `the working directory ${cwd} cannot be entered`, { cause });
  });
  const { PATH = '/usr/bin:/bin', HOME = '/', TMPDIR = '/tmp' } = process.env;
  onSent?.();
  const started = await spawned(program, args, {
    cwd,
    env: { PATH, HOME, TMPDIR, ...env, [mark]: sandbox },
    stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  if (started === 'ENOENT' || started === 'EACCES') return neverRan(started, stdin);
  if (typeof started === 'string')
    throw new CaissonError('invalid_argument', `${program} cannot be started: ${started}`);
  const running = runningProcess(started);
  if (!signal?.aborted) return running;
  await running.kill('SIGKILL');
  throw abortError(signal);
}

/** The child, or the code of execve(2). Some failures are thrown, others come as an event. */
async function spawned(program: string, args: string[], options: SpawnOptions): Promise<ChildProcess | string> {
  try {
    const child = spawn(program, args, options);
    await once(child, 'spawn');
    return child;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

function runningProcess(child: ChildProcess): Process {
  const { stdin } = child;
  const [stdout, stderr] = [piped(child.stdout), piped(child.stderr)];
  stdin?.on('error', () => undefined); // a command may close its end
  const end = new Promise<ProcessEnd>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal, outOfMemory: false }));
  });
  const closed = new Promise<Outputs>((resolve) => child.once('close', () => resolve({ is: 'ended' })));
  return {
    ...{ stdin, stdout, stderr },
    wait: () => end,
    outputs: async () => {
      await end;
      const why = 'a process in the background holds a stream, or a reader has stopped';
      return await Promise.race([closed, sleep(lastBytesMs, { is: 'unknown', why } as const, { ref: false })]);
    },
    kill: async (signal) => {
      const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1];
      if (number === undefined) throw new CaissonError('invalid_argument', `there is no signal ${signal}`);
      if (child.exitCode === null && child.signalCode === null) killGroup(child, number);
    },
    release: () => {
      for (const stream of [stdin, stdout, stderr, child.stdout, child.stderr]) stream?.destroy();
    },
  };
}

/** Node reads away what is left in a stream of its own when the child ends. */
function piped(stream: Readable | null): Readable {
  const copy = new PassThrough();
  return stream === null ? copy.end() : stream.pipe(copy);
}

function killGroup({ pid }: ChildProcess, signal: number): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

/** POSIX.1-2024, XCU 2.8.2: 127 for a program that is not there, 126 for one that cannot be executed. */
function neverRan(code: 'EACCES' | 'ENOENT', stdin: boolean): Process {
  const empty = (): PassThrough => new PassThrough().end();
  const missing = code === 'ENOENT';
  const notStarted = missing ? 'not-found' : 'not-executable';
  return {
    stdin: stdin ? new PassThrough().resume() : null,
    stdout: empty(),
    stderr: empty(),
    wait: async () => ({ exitCode: missing ? 127 : 126, signal: null, outOfMemory: false, notStarted }),
    outputs: async () => ({ is: 'ended' }),
    kill: async () => undefined,
    release: () => undefined,
  };
}
