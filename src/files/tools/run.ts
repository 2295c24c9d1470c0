/** Runs a script of a file tool and gives what it wrote, bounded. */
import { pipeline, type Readable, type Writable } from 'node:stream';
import type { Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { scriptOf } from '../../inside/script.ts';
import { endOf, failureOf, killNow, startTransfer } from '../transfer.ts';

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
  readonly most?: number;
  /** Paths are real ones, as rules have judged them, and must still be. */
  readonly real?: boolean;
  readonly signal?: AbortSignal | undefined;
}

const usualMost = 2 * 1024 * 1024;
const patienceMs = 120_000;
/** A slow connection to a sandbox. */
const leastBytesPerMs = 1024;

export interface ToolEnd {
  readonly bytes: Buffer;
  /** By the exit code of the script. Not thrown: only what is thrown may mean that the sandbox is gone. */
  readonly failure: CaissonError | null;
}

export async function runTool(
  sandbox: Sandbox,
  { script, args, input, inputBytes = 0, signal, real = false, most = usualMost }: ToolRun,
): Promise<ToolEnd> {
  const late = AbortSignal.timeout(patienceMs + Math.ceil(inputBytes / leastBytesPerMs));
  const until = signal === undefined ? late : AbortSignal.any([signal, late]);
  const env = { CAISSON_EXEC: 'file' };
  const { process, said } = await startTransfer(sandbox, {
    script: `real=${real ? 'yes' : ''}\n${scriptOf('files/exits', 'files/links', 'files/enter', `files/${script}`)}`,
    args,
    stdin: input !== undefined,
    env,
    signal: until,
  });
  try {
    feed(process.stdin, input);
    const [end, bytes] = await Promise.all([endOf(process, until), collect(process.stdout, most)]);
    return { bytes, failure: failureOf(end, args[0], said()) };
  } catch (error) {
    await killNow(process);
    throw error;
  } finally {
    process.release();
  }
}

/** What a script does not read is no failure: its status tells what became of it. A source that breaks off leaves too few bytes. */
function feed(stdin: Writable | null, input: ToolRun['input']): void {
  if (typeof input === 'function' && stdin !== null) pipeline(input(), stdin, () => stdin.destroy());
  else if (typeof input !== 'function') stdin?.on('error', () => {}).end(input);
}

async function collect(stream: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > most) throw saidTooMuch();
  }
  return Buffer.concat(chunks);
}

export function saidTooMuch(): CaissonError {
  return new CaissonError('resource_exhausted', 'the sandbox answered with more than was asked for', {
    remedy: 'ask for less; if it was little, do not trust what the programs of this sandbox say',
  });
}
