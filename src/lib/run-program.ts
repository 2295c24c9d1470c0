/**
 * A program of the operator's, run by the guard: without a shell, in a process group of its own, bounded in time and
 * output, with nothing of the service's environment that could be a secret.
 */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { abortError } from '../errors.ts';

export interface ProgramRun {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export type ProgramEnd =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  /** It could not be started, was killed, took too long or wrote too much. */
  | { readonly kind: 'failed'; readonly missing: boolean; readonly reason: string };

const maxStdoutBytes = 1024 * 1024;
const maxStderrBytes = 64 * 1024;
/** Its last output may arrive after its exit event. */
const drainMs = 250;

const passed = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TZ|TERM|TMPDIR|XDG_[A-Z_]+)$/;

export function programEnv(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined && passed.test(name)) kept[name] = value;
  return kept;
}

/** Throws only `canceled`, when the signal fires. */
export async function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  if (isAborted(run)) throw abortError(run.signal);
  const [program, ...args] = run.command;
  const unusable = run.command.findIndex((word) => word.includes('\0'));
  if (unusable >= 0) return { kind: 'failed', missing: false, reason: 'an argument holds a NUL byte' };
  const child = spawn(program, args, { cwd: run.cwd, env: run.env, detached: true, stdio: 'pipe' });
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
  child.on('error', (error) => resolve({ kind: 'failed', missing: isMissing(error), reason: error.message }));
  // It did not start, and may have no streams either: out of files, for one.
  if (child.pid === undefined) return await promise;
  const stop = (reason: string): void => {
    killGroup(child.pid);
    resolve({ kind: 'failed', missing: false, reason });
  };
  const timer = setTimeout(() => stop(`it did not answer within ${run.timeoutMs / 1000} s`), run.timeoutMs);
  const canceled = (): void => stop('canceled');
  run.signal?.addEventListener('abort', canceled, { once: true });
  const stdout = gather(child.stdout, maxStdoutBytes, () => stop(`it wrote more than ${maxStdoutBytes} bytes`));
  const stderr = gather(child.stderr, maxStderrBytes, () => undefined);
  child.stdin.on('error', () => undefined); // one that does not read its input may still answer
  child.stdin.end(run.input);
  child.on('exit', (exitCode, signal) => {
    void drained(child.stdout).then(() =>
      resolve(
        exitCode === null
          ? { kind: 'failed', missing: false, reason: `it was ended by ${String(signal)}` }
          : { kind: 'exited', exitCode, stdout: stdout(), stderr: stderr() },
      ),
    );
  });
  const end = await promise;
  clearTimeout(timer);
  run.signal?.removeEventListener('abort', canceled);
  child.stdout.destroy();
  child.stderr.destroy();
  if (isAborted(run)) throw abortError(run.signal);
  return end;
}

const isAborted = (run: ProgramRun): run is ProgramRun & { readonly signal: AbortSignal } =>
  run.signal?.aborted === true;

function gather(stream: Readable, maxBytes: number, tooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else tooMuch();
  });
  stream.on('error', () => undefined); // the exit event reports its end
  return () => Buffer.concat(chunks).toString();
}

/** A child of it may hold the stream: then what is there by now has to do. */
async function drained(stream: Readable): Promise<void> {
  const until = performance.now() + drainMs;
  while (!stream.readableEnded && !stream.destroyed && performance.now() < until) await sleep(2);
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error; // it has just ended
  }
}

const isMissing = (error: Error): boolean => 'code' in error && error.code === 'ENOENT';
