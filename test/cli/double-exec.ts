/** Commands of the double: real processes of this machine, and a small program that needs a terminal. */
import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import type { ExecInput, Exit, ExitReason, Running } from '../../src/service/api.ts';

type Where = Running['where'];

export type DoubleRunning = Omit<Running, 'how' | 'degraded' | 'unsetVariables' | 'missingFiles'>;

export function startProcess(id: string, input: ExecInput, where: Where): DoubleRunning {
  const [program = '', ...args] = input.command;
  const child = spawn(program, args, {
    cwd: input.cwd ?? '/',
    env: { PATH: process.env['PATH'], ...input.env },
    stdio: [input.stdin === true ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const started = performance.now();
  let reason: ExitReason | null = null;
  const kill = (why: ExitReason): void => {
    reason ??= why;
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = typeof input.timeoutMs === 'number' ? setTimeout(() => kill('timed-out'), input.timeoutMs) : undefined;
  const exit = new Promise<Exit>((resolve) => {
    child.on('error', () => resolve(exitOf({ exitCode: 127 }, performance.now() - started)));
    child.on('exit', (exitCode, signal) => {
      clearTimeout(timer);
      const why = reason ?? (signal === null ? 'exited' : 'signaled');
      resolve(
        exitOf({ reason: why, exitCode, signal, survivors: reason === null ? null : [] }, performance.now() - started),
      );
    });
  });
  const { stdin, stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('spawned without its streams');
  stdin?.on('error', () => undefined);
  const cancel = async (): Promise<void> => {
    kill('canceled');
    await exit;
  };
  return { id, where, lostSince: null, stdin, stdout, stderr, exit, cancel, ignore: () => undefined };
}

/** Tells its size, the bytes it is typed, and ends with 3 at `q`. SIGTERM arrives at `!`, and at `?`, which it survives. */
export function startTerminal(id: string, input: ExecInput, where: Where): DoubleRunning {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { promise: exit, resolve } = Promise.withResolvers<Exit>();
  let survives = false;
  const cancel = async (): Promise<void> => {
    if (!survives) end({ reason: 'canceled', exitCode: null, survivors: [] });
  };
  const end = (part: Partial<Exit>): void => {
    stdout.end();
    stderr.end();
    resolve(exitOf(part, 1));
  };
  stdout.write(`size ${input.tty?.columns}x${input.tty?.rows} TERM ${input.env?.['TERM'] ?? 'none'}\r\n`);
  stdin.on('data', (bytes: Buffer) => {
    survives ||= bytes.includes('?');
    stdout.write(`typed ${bytes.toString('hex')}\r\n`);
    if (bytes.includes('q')) end({ exitCode: 3 });
    if (bytes.includes('!') || bytes.includes('?')) process.kill(process.pid, 'SIGTERM');
  });
  return {
    id,
    where,
    lostSince: null,
    stdin,
    stdout,
    stderr,
    exit,
    ignore: () => undefined,
    cancel,
    resize: (columns, rows) => Promise.resolve(void stdout.write(`size ${columns}x${rows}\r\n`)),
  };
}

export function exitOf(part: Partial<Exit>, durationMs: number): Exit {
  const none = { bytes: 0, truncated: false, complete: true };
  return {
    reason: 'exited',
    exitCode: 0,
    signal: null,
    signalGuessed: false,
    durationMs,
    stdout: none,
    stderr: none,
    backgroundOpen: false,
    survivors: null,
    redactions: null,
    notes: [],
    ...part,
  };
}
