/**
 * Pipes of the kernel for the streams of a command, which it can open again as /dev/stdin: what Node calls a pipe is a socket.
 * A shell holds an empty here-document in a pipe, and a descriptor under /proc opens it again.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';

export interface Pipe {
  readonly read: number;
  readonly write: number;
}

/** What a shell can number with one digit. */
const held = [3, 4, 5, 6, 7, 8, 9] as const;
const holder = `exec ${held.map((fd) => `${fd}<<X`).join(' ')}\n${held.map(() => 'X\n').join('')}echo ready; read -r end`;

const spare: number[] = [];

export async function takePipes(count: number): Promise<readonly Pipe[]> {
  while (spare.length < count) spare.push(...(await makePipes()));
  return spare.splice(0, count).map(bothEnds);
}

function bothEnds(fd: number): Pipe {
  const path = `/proc/self/fd/${fd}`;
  const pipe = { read: openSync(path, constants.O_RDONLY), write: openSync(path, constants.O_WRONLY) };
  closeSync(fd);
  return pipe;
}

async function makePipes(): Promise<readonly number[]> {
  const shell = spawn('/bin/sh', ['-c', holder], { stdio: ['pipe', 'pipe', 'ignore'], env: {} });
  try {
    await once(shell.stdout, 'data');
    return held.map((fd) => openSync(`/proc/${shell.pid}/fd/${fd}`, constants.O_RDWR | constants.O_NONBLOCK));
  } finally {
    shell.kill('SIGKILL');
  }
}
