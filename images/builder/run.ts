/** One run of a host program for the builder: fixed argv, no shell, its words bounded and kept for the error. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { abortError, CaissonError } from '../../src/errors.ts';

export interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** Open file descriptor for stdout. Without it stdout is read as lines, like stderr. */
  readonly stdoutFd?: number;
  readonly onLine?: (line: string) => void;
  /** What the reader of the error can do. */
  readonly remedy: string;
}

const keptLines = 15;
const keptLineLength = 300;

/** Resolves with the last lines when the program exits 0; throws `unavailable` with them when it does not. */
export async function run(argv: readonly [string, ...string[]], options: RunOptions): Promise<readonly string[]> {
  stopIfAborted(options.signal);
  const [program, ...args] = argv;
  const stdio: StdioOptions = ['ignore', options.stdoutFd ?? 'pipe', 'pipe'];
  const child = spawn(program, args, {
    stdio,
    env: options.env,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const tail = keepLines(child, options.onLine);
  const end = await ended(child, options.signal);
  stopIfAborted(options.signal);
  if (end.code === 0) return tail;
  throw programError(program, end, { tail, remedy: options.remedy });
}

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortError(signal);
}

/** Whether a program runs and says yes. What it prints is of no interest. */
export async function succeeds(argv: readonly [string, ...string[]], env: NodeJS.ProcessEnv): Promise<boolean> {
  const child = spawn(argv[0], argv.slice(1), { stdio: 'ignore', env });
  return (await ended(child)).code === 0;
}

function keepLines(child: ChildProcess, onLine: ((line: string) => void) | undefined): string[] {
  const tail: string[] = [];
  const keep = (text: string): void => {
    const line = text.slice(0, keptLineLength).trimEnd();
    if (line === '') return;
    if (tail.push(line) > keptLines) tail.shift();
    onLine?.(line);
  };
  for (const stream of [child.stdout, child.stderr]) if (stream !== null) readLines(stream, keep);
  return tail;
}

function readLines(stream: Readable, keep: (text: string) => void): void {
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', keep);
}

interface End {
  readonly code: number | null;
  readonly by: string | null;
  readonly error?: Error;
}

/** SIGINT lets mmdebstrap and the engine's client take down what they had begun. */
function ended(child: ChildProcess, signal?: AbortSignal): Promise<End> {
  const interrupt = (): void => void child.kill('SIGINT');
  signal?.addEventListener('abort', interrupt, { once: true });
  const { promise, resolve } = Promise.withResolvers<End>();
  child.once('error', (error) => resolve({ code: null, by: null, error }));
  child.once('close', (code, by) => resolve({ code, by }));
  return promise.finally(() => signal?.removeEventListener('abort', interrupt));
}

function programError(
  program: string,
  end: End,
  failure: { readonly tail: readonly string[]; readonly remedy: string },
): CaissonError {
  // apt and mmdebstrap mark their errors; what comes after the first is what followed from it.
  const last = failure.tail.find((line) => line.startsWith('E: ')) ?? failure.tail.at(-1);
  const message = `${program} ${describe(end)}${last === undefined ? '' : `: ${last}`}`;
  return new CaissonError('unavailable', message, {
    details: { output: failure.tail },
    remedy: failure.remedy,
    cause: end.error,
  });
}

function describe(end: End): string {
  if (end.error !== undefined) return `did not start: ${end.error.message}`;
  return end.code === null ? `was ended by ${end.by}` : `ended with exit code ${end.code}`;
}
