/**
 * Named pipes between a process in a container and this one: what goes through them passes neither the engine nor its
 * shim, which together take a third of what a short command costs.
 *
 * They lie in the container's /dev/shm, in memory, and have names until both ends are open. Here they are found below
 * /proc/PID/root, which is for root, or for the user whose engine is rootless. What is found there is the sandbox's, so no
 * link is followed and nothing but a pipe is taken; a name that cannot be guessed keeps a wrong PID from finding anything.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { CaissonError } from '../../../src/errors.ts';
import type { Facts } from '../engine/facts.ts';

const sameKernel = new Set(['runc', 'crun', 'io.containerd.runc.v2']);

/** Whether the engine's processes are to be seen from here, and run on this kernel: no engine elsewhere, no virtual machine. */
export function onThisKernel(
  runtime: string | null,
  { facts, local, root }: { readonly facts: Facts; readonly local: boolean; readonly root: boolean },
): boolean {
  const machine = /desktop/i.test(`${facts.platform ?? ''} ${facts.operatingSystem ?? ''}`);
  return local && (root || facts.rootless) && sameKernel.has(runtime ?? facts.defaultRuntime ?? '') && !machine;
}

export type PipePaths = readonly [stdin: string, stdout: string, stderr: string];

/** Makes new names of three pipes, as paths in the container. */
export function newPipePaths(): PipePaths {
  const path = `/dev/shm/caisson-${randomBytes(12).toString('hex')}`;
  return [`${path}.in`, `${path}.out`, `${path}.err`];
}

/** This side of three pipes whose other side is held open. */
export class Pipes {
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  readonly #outputs: readonly (readonly [stream: Socket, fd: number])[];

  /** `pid`: of a process in the container, as this host counts. Throws when they cannot be opened. */
  constructor(pid: number, [stdin, stdout, stderr]: PipePaths) {
    const open: number[] = [];
    const pipe = (path: string, direction: number): number => {
      open.push(openPipe(`/proc/${pid}/root${path}`, direction));
      return open.at(-1) ?? -1;
    };
    try {
      const [input, output, errors] = [
        pipe(stdin, constants.O_WRONLY),
        pipe(stdout, constants.O_RDONLY),
        pipe(stderr, constants.O_RDONLY),
      ];
      this.stdin = new Socket({ fd: input, readable: false, writable: true });
      this.stdout = new Socket({ fd: output, readable: true, writable: false });
      this.stderr = new Socket({ fd: errors, readable: true, writable: false });
      this.#outputs = [
        [this.stdout, output],
        [this.stderr, errors],
      ];
    } catch (error) {
      for (const fd of open) closeSync(fd);
      throw error;
    }
    // The other end may close at any time; who reads or writes hears of it.
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.on('error', () => {});
  }

  /** Processes that still hold them can go on writing: what they write is read into nothing, as long as we are there. */
  release(): void {
    for (const [stream, fd] of this.#outputs) if (!stream.destroyed) discard(fd);
    this.close();
  }

  close(): void {
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.destroy();
  }
}

const discardPauseMs = 20;

/** A pipe without a reader would end its writer; one that is read at full speed would keep this process busy for ever. */
function discard(fd: number): void {
  const own = reopened(fd);
  if (own === null) return;
  const rest = new Socket({ fd: own, readable: true, writable: false });
  rest.on('error', () => {});
  rest.on('data', () => {
    rest.pause();
    setTimeout(() => rest.resume(), discardPauseMs).unref();
  });
  rest.unref();
}

/** `null`: no descriptor is left, and SIGPIPE ends what still writes to that pipe. */
function reopened(fd: number): number | null {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
}

function openPipe(path: string, direction: number): number {
  const fd = openSync(path, direction | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  if (fstatSync(fd).isFIFO()) return fd;
  closeSync(fd);
  throw new CaissonError('internal', 'what should be a pipe of the sandbox is not one');
}
