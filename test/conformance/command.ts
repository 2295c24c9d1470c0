/** Running one command to its end through the contract, and judging how it ended. */
import type { Readable } from 'node:stream';
import { expect } from 'vitest';
import type { NotStarted, Process, ProcessEnd, Sandbox } from '../../src/backend.ts';

export interface Input {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Buffer | string;
}

export interface Result extends ProcessEnd {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

type Command = readonly [string, ...string[]];

export function start(
  sandbox: Sandbox,
  command: Command,
  input: Input & { readonly keepStdin?: boolean } = {},
): Promise<Process> {
  const stdin = input.stdin !== undefined || input.keepStdin === true;
  return sandbox.exec(command, { cwd: input.cwd ?? '/', env: input.env ?? {}, stdin });
}

export async function run(sandbox: Sandbox, command: Command, input: Input = {}): Promise<Result> {
  const process = await start(sandbox, command, input);
  if (input.stdin !== undefined) process.stdin?.end(input.stdin);
  return await finish(process);
}

export const sh = (sandbox: Sandbox, text: string, input: Input = {}): Promise<Result> =>
  run(sandbox, ['sh', '-c', text], input);

/** Reads both streams to their ends, then lets the process go. */
export async function finish(process: Process): Promise<Result> {
  try {
    const [end, stdout, stderr] = await Promise.all([process.wait(), collect(process.stdout), collect(process.stderr)]);
    return { ...end, stdout, stderr };
  } finally {
    process.release();
  }
}

export async function collect(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Reads until the text is there, and leaves the stream open. */
export async function readUntil(stream: Readable, text: string): Promise<string> {
  let seen = '';
  while (!seen.includes(text)) {
    const chunk: unknown = stream.read();
    if (Buffer.isBuffer(chunk)) seen += chunk.toString('utf8');
    else if (stream.readableEnded || stream.destroyed)
      throw new Error(`the stream ended after ${JSON.stringify(seen)}`);
    else await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return seen;
}

/** Places that tell signals apart say so; the others report 128+n and never guess. */
export function expectEndedBy(end: ProcessEnd, signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP' | 'SIGSEGV'): void {
  const number = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 }[signal];
  if (end.signal === null) expect(end.exitCode).toBe(128 + number);
  else expect(end).toMatchObject({ exitCode: null, signal });
}

/** A command that the place cannot start, and that would print `ran`: a typed error, or the code a shell would give. */
export async function expectNotStarted(attempt: Promise<Result>, notStarted: NotStarted): Promise<void> {
  const { exitCode, stdout, stderr, ...end } = await attempt;
  const said = stdout.toString() + stderr.toString();
  const wanted = { exitCode: notStarted === 'not-found' ? 127 : 126, notStarted, said: '' };
  expect({ exitCode, notStarted: end.notStarted, said }).toEqual(wanted);
}

/** Whether a process of this number runs in the sandbox: there, and no zombie. */
export async function isAlive(sandbox: Sandbox, pid: number): Promise<boolean> {
  const { stdout } = await sh(
    sandbox,
    `while read -r key value _; do case $key in State:) echo "$value";; esac; done 2>/dev/null </proc/${pid}/status; true`,
  );
  return stdout.length > 0 && !stdout.toString().startsWith('Z') && !stdout.toString().startsWith('X');
}

export async function eventually(condition: () => boolean | Promise<boolean>, timeoutMs = 5000): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** What sessions and processes have kept under this key, in a home that several sandboxes of a place may share. */
export async function forgetKept(sandbox: Sandbox, key: string): Promise<void> {
  await sh(sandbox, `rm -rf "\${XDG_STATE_HOME:-$HOME/.local/state}/caisson/${key}"`);
}
