/** One command as a child of the service: its own session, real pipes, an end that does not wait for the streams of others. */
import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { closeSync, constants as fs } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { NotStarted, Outputs, Process, ProcessEnd } from '../../src/backend.ts';
import { abortError, CaissonError } from '../../src/errors.ts';
import { systemError, systemCode } from './system-fault.ts';
import { closePipe, type Owner, type Pipe, type Pipes } from './pipes.ts';
import { inodesOf, type PipeEnd, pipeOutputs } from './outputs.ts';
import { NotStartedProcess } from './not-started.ts';

export interface Start {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: boolean;
  readonly signal?: AbortSignal | undefined;
  /** See `ExecOptions.onSent`. */
  readonly onSent?: (() => void) | undefined;
  /** Whom a service of root becomes for it, without supplementary groups. Absent: the user of the service. */
  readonly account?: Owner | undefined;
}

export interface HostProcess extends Process {
  /** `null`: its program never ran. */
  readonly pid: number | null;
}

/** Throws `invalid_argument` for a directory that cannot be entered, and for arguments that the kernel refuses. */
export async function startProcess(pipes: Pipes, start: Start): Promise<HostProcess> {
  await checkDirectory(start.cwd);
  const taken = await pipes.take(start.stdin ? 3 : 2);
  if (start.signal?.aborted) {
    taken.forEach(closePipe);
    throw abortError(start.signal);
  }
  const process = await spawnOn(taken, start);
  if (!start.signal?.aborted) return process;
  await process.kill('SIGKILL');
  process.release();
  throw abortError(start.signal);
}

/** Spawning would tell a missing directory and a missing program by the same word. */
async function checkDirectory(cwd: string): Promise<void> {
  try {
    await access(cwd, fs.X_OK);
    if ((await stat(cwd)).isDirectory()) return;
  } catch (error) {
    throw directoryError(cwd, error);
  }
  throw directoryError(cwd, undefined);
}

function directoryError(cwd: string, cause: unknown): CaissonError {
  return new CaissonError('invalid_argument', `the working directory ${cwd} is not a directory that can be entered`, {
    cause,
    details: { cwd },
    remedy: 'create it first, or choose another cwd',
  });
}

async function spawnOn(taken: readonly Pipe[], start: Start): Promise<HostProcess> {
  const [stdout, stderr, stdin] = taken;
  if (stdout === undefined || stderr === undefined) throw new CaissonError('internal', 'a command needs two pipes');
  const theirs = [stdout.write, stderr.write, ...(stdin === undefined ? [] : [stdin.read])];
  const ours = [stdout.read, stderr.read, ...(stdin === undefined ? [] : [stdin.write])];
  try {
    start.onSent?.();
    const child = await spawned(start, { stdio: [stdin?.read ?? 'ignore', stdout.write, stderr.write] });
    return new LocalProcess(child, { stdout: stdout.read, stderr: stderr.read, stdin: stdin?.write ?? null });
  } catch (error) {
    ours.forEach((fd) => closeSync(fd));
    const why = notStarted(systemCode(error));
    if (why === null) throw systemError(error, `start ${start.command[0]}`);
    return Object.assign(new NotStartedProcess(why, start.stdin), { pid: null });
  } finally {
    theirs.forEach((fd) => closeSync(fd));
  }
}

/** Some failures of the same call are thrown, others come as an event. */
function spawned(start: Start, options: SpawnOptions): Promise<ChildProcess> {
  const [program, ...args] = start.command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...options,
      ...start.account,
      cwd: start.cwd,
      env: start.env,
      detached: true,
    });
    child.on('error', reject);
    child.once('spawn', () => resolve(child));
  });
}

/** What the kernel says of a program that it cannot start (execve(2)); a script without its interpreter is ENOENT too. */
function notStarted(errno: string | null): NotStarted | null {
  if (errno === 'ENOENT' || errno === 'ENOTDIR') return 'not-found';
  return errno === 'EACCES' ? 'not-executable' : null;
}

class LocalProcess implements HostProcess {
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly #child: ChildProcess;
  readonly #end: Promise<ProcessEnd>;
  readonly #pipes: readonly PipeEnd[];
  readonly #inodes: ReadonlySet<number>;
  #proof: Promise<Outputs> | null = null;

  constructor(
    child: ChildProcess,
    ours: { readonly stdout: number; readonly stderr: number; readonly stdin: number | null },
  ) {
    if (child.pid === undefined) throw new CaissonError('internal', 'a process that was started has a number');
    this.#child = child;
    this.pid = child.pid;
    // `exit`, not `close`: a background child may hold the streams for as long as it likes.
    this.#end = new Promise((resolve) => {
      child.once('exit', (exitCode, signal) => resolve({ exitCode, signal, outOfMemory: false }));
    });
    this.#inodes = inodesOf([ours.stdout, ours.stderr]);
    const [stdout, stderr] = [ours.stdout, ours.stderr].map(
      (fd) => new Socket({ fd, readable: true, writable: false }),
    );
    if (stdout === undefined || stderr === undefined) throw new CaissonError('internal', 'a process has two streams');
    this.#pipes = [
      { fd: ours.stdout, socket: stdout },
      { fd: ours.stderr, socket: stderr },
    ];
    this.stdout = stdout;
    this.stderr = stderr;
    this.stdin = ours.stdin === null ? null : new Socket({ fd: ours.stdin, readable: false, writable: true });
    // A command may close its end whenever it likes; a writer that cares listens itself.
    this.stdin?.on('error', () => undefined);
  }

  wait(): Promise<ProcessEnd> {
    return this.#end;
  }

  /** Looked for once. */
  outputs(): Promise<Outputs> {
    this.#proof ??= this.#end.then(() => pipeOutputs(this.#pipes, this.#inodes));
    return this.#proof;
  }

  /** To the group, which is the session the command started in. */
  async kill(signal: string): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1];
    if (number === undefined) throw new CaissonError('invalid_argument', `there is no signal ${signal}`);
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      process.kill(-pid, number);
    } catch (error) {
      if (systemCode(error) !== 'ESRCH') throw systemError(error, `send ${signal}`);
    }
  }

  release(): void {
    this.stdin?.destroy();
    this.stdout.destroy();
    this.stderr.destroy();
  }
}
