/** What is proved of output that comes through pipes of this host. */
import { fstatSync, readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { finished } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import type { Outputs } from '../../src/backend.ts';
import { findHolders } from './holders.ts';

/** A read side of a pipe. */
export interface PipeEnd {
  readonly fd: number;
  readonly socket: Socket;
}

const lookMs = 250;
/** Looks before the wait for a pipe's end is given up: while no process is seen to hold the pipe, its end is on its way. */
const maxLooks = 40;
const chunkBytes = 64 * 1024;

/** Asks once the process that wrote has ended. The kernel's end of file is the proof; else a process seen holding a pipe. */
export async function pipeOutputs(ends: readonly PipeEnd[], inodes: ReadonlySet<number>): Promise<Outputs> {
  const over = Promise.all(ends.map(({ socket }) => faultOf(socket)));
  for (let look = 0; look < maxLooks; look += 1) {
    const faults = await Promise.race([over, sleep(lookMs, null)]);
    if (faults !== null) return endedOr(faults);
    const { pids, partial } = await findHolders(inodes);
    if (pids.length > 0) {
      for (const end of ends) readToEmpty(end);
      return { is: 'held', pids };
    }
    if (partial && look > 0)
      return { is: 'unknown', why: 'a process of another user may hold its streams, and cannot be looked into' };
  }
  return { is: 'unknown', why: 'its streams stay open, and no process was seen holding them' };
}

/** The end of streams whose readers are of this process. */
export async function endOf(streams: readonly Readable[]): Promise<Outputs> {
  return endedOr(await Promise.all(streams.map(faultOf)));
}

export function inodesOf(fds: readonly number[]): ReadonlySet<number> {
  return new Set(fds.map((fd) => fstatSync(fd).ino));
}

/**
 * What was written before the end lies in the pipe, or has been read. libuv hands on at once what it reads, so that what is
 * read here follows it. The descriptor does not block: an empty pipe is EAGAIN, and that is the proof.
 */
function readToEmpty({ fd, socket }: PipeEnd): void {
  for (;;) {
    if (socket.destroyed || socket.readableEnded) return;
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const length = readOrNone(fd, chunk);
    if (length === 0) return;
    socket.push(chunk.subarray(0, length));
  }
}

function readOrNone(fd: number, chunk: Buffer): number {
  try {
    return readSync(fd, chunk);
  } catch {
    // EAGAIN. Anything else ends the stream where libuv meets it.
    return 0;
  }
}

function endedOr(faults: readonly (string | null)[]): Outputs {
  const why = faults.find((fault) => fault !== null);
  return why === undefined || why === null ? { is: 'ended' } : { is: 'cut', why };
}

async function faultOf(stream: Readable): Promise<string | null> {
  try {
    await finished(stream, { writable: false });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 200) : 'the stream broke';
  }
}
