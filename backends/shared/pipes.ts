/**
 * Real pipes for the streams of a command.
 *
 * What Node calls a pipe is a socket pair: a command cannot open it again as /dev/stdout or /dev/stdin, and bash takes
 * a socket on stdin for a remote shell and reads ~/.bashrc. Node makes no pipes, but a shell holds an empty here-document
 * in one. So a shell opens some of them in advance, and each is had by opening its descriptor under /proc. (A fifo made
 * by mkfifo(1) would not do: opening it again blocks as long as the other side is closed.)
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { CaissonError } from '../../src/errors.ts';
import { systemError, systemCode } from './system-fault.ts';

/** Descriptors of one pipe. Its user closes both. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
}

/** The account that a pipe belongs to: no other user may open it by its path. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** What a shell can number with one digit. */
const held = [3, 4, 5, 6, 7, 8, 9] as const;
const holder = `exec ${held.map((fd) => `${fd}<<X`).join(' ')}\n${held.map(() => 'X\n').join('')}echo ready; read -r end`;

export class Pipes {
  readonly #spare: number[] = [];
  readonly #owner: Owner | undefined;
  #filling: Promise<void> | null = null;
  #closed = false;

  /** `owner`: who else than the service must be able to open them again. */
  constructor(owner?: Owner) {
    this.#owner = owner;
  }

  async take(count: number): Promise<readonly Pipe[]> {
    while (this.#spare.length < count) {
      if (this.#closed)
        throw new CaissonError('failed_precondition', 'the backend is closed', { remedy: 'open it again' });
      await this.#fill();
    }
    const taken: Pipe[] = [];
    try {
      while (taken.length < count) taken.push(this.#open());
    } catch (error) {
      for (const pipe of taken) closePipe(pipe);
      throw systemError(error, 'open a pipe');
    }
    // Made ahead for the next command. When that fails, the next `take` tries itself and tells why.
    if (this.#spare.length < 3) this.#fill().catch(() => undefined);
    return taken;
  }

  /** Gives the spare descriptors back. Pipes that were taken live on. */
  close(): void {
    this.#closed = true;
    for (const fd of this.#spare.splice(0)) closeSync(fd);
  }

  #open(): Pipe {
    const fd = this.#spare.pop();
    if (fd === undefined) throw new CaissonError('internal', 'no spare pipe');
    try {
      const read = openSync(`/proc/self/fd/${fd}`, constants.O_RDONLY);
      try {
        return { read, write: openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY) };
      } catch (error) {
        closeSync(read);
        throw error;
      }
    } finally {
      closeSync(fd);
    }
  }

  #fill(): Promise<void> {
    this.#filling ??= makePipes(this.#owner)
      .then((made) => this.#keep(made))
      .finally(() => {
        this.#filling = null;
      });
    return this.#filling;
  }

  #keep(made: readonly number[]): void {
    this.#spare.push(...made);
    if (this.#closed) this.close();
  }
}

export function closePipe(pipe: Pipe): void {
  closeSync(pipe.read);
  closeSync(pipe.write);
}

/** Opened for both at once: the pipe lives without a partner. Throws `unavailable` where `sh` does it another way. */
export async function makePipes(owner?: Owner): Promise<readonly number[]> {
  const shell = startHolder(owner);
  const made: number[] = [];
  try {
    const pid = await ready(shell);
    for (const fd of held) made.push(openSync(`/proc/${pid}/fd/${fd}`, constants.O_RDWR | constants.O_NONBLOCK));
    if (made.every((fd) => fstatSync(fd).isFIFO())) return made;
    throw new Error('a here-document of this shell is a file');
  } catch (error) {
    for (const fd of made) closeSync(fd);
    if (['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'].includes(systemCode(error) ?? ''))
      throw systemError(error, 'make pipes');
    throw pipesMissingError(error);
  } finally {
    shell.kill('SIGKILL');
  }
}

function startHolder(owner: Owner | undefined): ChildProcess {
  try {
    return spawn('/bin/sh', ['-c', holder], { ...owner, stdio: ['pipe', 'pipe', 'ignore'], env: {} });
  } catch (error) {
    throw systemError(error, 'make pipes');
  }
}

async function ready(shell: ChildProcess): Promise<number> {
  // An end alone does not count as an error: what matters is which of the two comes first.
  const ended = new Promise<never>((_resolve, reject) => {
    shell.once('error', reject);
    shell.once('exit', () => reject(new Error('the shell ended')));
  });
  if (shell.stdout !== null) await Promise.race([once(shell.stdout, 'data'), ended]);
  if (shell.pid === undefined) throw new Error('the shell did not start');
  return shell.pid;
}

function pipesMissingError(cause: unknown): CaissonError {
  return new CaissonError('unavailable', '/bin/sh and /proc do not give pipes on this host', {
    cause,
    remedy: 'mount /proc, and let /bin/sh be dash, or bash 5.1 or newer',
  });
}
