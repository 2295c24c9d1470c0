/** Runs the script of a file tool. Its output is returned whole up to a limit, or as a stream. */
import { pipeline, type Readable, type Writable } from 'node:stream';
import type { Sandbox } from '../../backend.ts';
import { abortError, CaissonError } from '../../errors.ts';
import { scriptOf } from '../../inside/script.ts';
import { endOf, transferError, killNow, startTransfer, type Transfer } from '../transfer.ts';

export interface ToolRun {
  /** In `src/inside/files/`, without `.sh`. */
  readonly script: string;
  /** The first one is the path, as errors tell it. */
  readonly args: readonly [string, ...string[]];
  /** A stream is opened for each run, since a healed sandbox needs a second one. */
  readonly input?: Uint8Array | (() => Readable);
  /** How much that is, for the patience with it. */
  readonly inputBytes?: number;
  /** Bytes of the answer. More than that is more than was asked for, and an error. Absent: 2 MiB. */
  readonly max?: number;
  /** Paths are real ones, as rules have judged them, and must still be. */
  readonly real?: boolean;
  readonly signal?: AbortSignal | undefined;
}

const parts = ['files/exits', 'files/links', 'files/enter', 'files/size'] as const;
const defaultMax = 2 * 1024 * 1024;
const timeoutMs = 120_000;
/** A slow connection to a sandbox. */
const leastBytesPerMs = 1024;

export interface ToolEnd {
  readonly bytes: Buffer;
  /** Failure that the exit code of the script says. Not thrown, since a thrown error may mean that the sandbox is gone. */
  readonly failure: CaissonError | null;
}

export async function runTool(sandbox: Sandbox, run: ToolRun): Promise<ToolEnd> {
  const { args, input, inputBytes = 0, max = defaultMax } = run;
  const until = orAfter(run.signal, timeoutMs + Math.ceil(inputBytes / leastBytesPerMs));
  const { process, said } = await start(sandbox, run, until);
  try {
    feed(process.stdin, input);
    const [end, bytes] = await Promise.all([endOf(process, until), collect(process.stdout, max)]);
    const failure = transferError(end, args[0], said());
    // A script that breaks off has no answer, and its sandbox may be gone.
    if (failure?.code === 'unavailable') throw failure;
    return { bytes, failure };
  } catch (error) {
    await killNow(process);
    throw error;
  } finally {
    process.release();
  }
}

/**
 * Resolves when the script runs. What it writes is held back until the reader takes it; only time in which the reader waits
 * counts as the script's. Throws at the end what the exit code says. To be read, or else the script stays.
 */
export async function openTool(sandbox: Sandbox, run: ToolRun): Promise<AsyncGenerator<Buffer, void, void>> {
  // The signal ends the start alone: fired later it would end the script.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(silentSandboxError()), timeoutMs);
  const signal = run.signal === undefined ? late.signal : AbortSignal.any([run.signal, late.signal]);
  try {
    return outputOf(await start(sandbox, run, signal), run);
  } finally {
    clearTimeout(timer);
  }
}

async function* outputOf({ process, said }: Transfer, { args, signal }: ToolRun): AsyncGenerator<Buffer, void, void> {
  const { stdout } = process;
  const cancel = (): void => void (signal !== undefined && stdout.destroy(abortError(signal)));
  signal?.addEventListener('abort', cancel, { once: true });
  const patience = (): NodeJS.Timeout => setTimeout(() => stdout.destroy(silentSandboxError()), timeoutMs);
  let [timer, hasEnded] = [patience(), false];
  try {
    if (signal?.aborted === true) throw abortError(signal);
    for await (const chunk of stdout) {
      clearTimeout(timer);
      yield chunk;
      timer = patience();
    }
    const failure = transferError(await endOf(process, orAfter(signal, timeoutMs)), args[0], said());
    hasEnded = true;
    if (failure !== null) throw failure;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
    if (!hasEnded) await killNow(process);
    process.release();
  }
}

function orAfter(signal: AbortSignal | undefined, ms: number): AbortSignal {
  const late = AbortSignal.timeout(ms);
  return signal === undefined ? late : AbortSignal.any([signal, late]);
}

async function start(
  sandbox: Sandbox,
  { script, args, input, real = false }: ToolRun,
  signal: AbortSignal,
): Promise<Transfer> {
  return await startTransfer(sandbox, {
    script: `real=${real ? 'yes' : ''}\n${scriptOf(...parts, `files/${script}`)}`,
    args,
    stdin: input !== undefined,
    env: { CAISSON_EXEC: 'file' },
    signal,
  });
}

/** Writes the input. A script may leave some of it unread; its status says how it ended. A source that breaks off leaves too few bytes. */
function feed(stdin: Writable | null, input: ToolRun['input']): void {
  if (typeof input === 'function' && stdin !== null) pipeline(input(), stdin, () => stdin.destroy());
  else if (typeof input !== 'function') stdin?.on('error', () => {}).end(input);
}

async function collect(stream: AsyncIterable<Buffer>, max: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > max) throw outputTooLargeError();
  }
  return Buffer.concat(chunks);
}

const silentSandboxError = (): CaissonError =>
  new CaissonError('timed_out', 'the sandbox has written nothing of the file for two minutes', { remedy: 'try again' });

export function outputTooLargeError(): CaissonError {
  return new CaissonError('resource_exhausted', 'the sandbox answered with more than was asked for', {
    remedy: 'ask for less; if it was little, do not trust what the programs of this sandbox say',
  });
}
