/** Runs a script of a file tool and gives what it wrote, bounded. */
import type { Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { endOf, failureOf, killNow, startTransfer } from '../transfer.ts';

export interface ToolRun {
  readonly script: string;
  /** The first one is the path, as errors tell it. */
  readonly args: readonly [string, ...string[]];
  readonly input?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
}

/** A read is shorter. */
const mostBytes = 32 * 1024 * 1024;
const patienceMs = 120_000;

export interface ToolEnd {
  readonly bytes: Buffer;
  /** By the exit code of the script. Not thrown: only what is thrown may mean that the sandbox is gone. */
  readonly failure: CaissonError | null;
}

export async function runTool(sandbox: Sandbox, { script, args, input, signal }: ToolRun): Promise<ToolEnd> {
  const late = AbortSignal.timeout(patienceMs);
  const until = signal === undefined ? late : AbortSignal.any([signal, late]);
  const env = { CAISSON_EXEC: 'file' };
  const { process, said } = await startTransfer(sandbox, {
    script,
    args,
    stdin: input !== undefined,
    env,
    signal: until,
  });
  try {
    process.stdin?.on('error', () => {}).end(input);
    const [end, bytes] = await Promise.all([endOf(process, until), collect(process.stdout)]);
    return { bytes, failure: failureOf(end, args[0], said()) };
  } catch (error) {
    await killNow(process);
    throw error;
  } finally {
    process.release();
  }
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > mostBytes) throw new CaissonError('resource_exhausted', 'the sandbox said more than was asked for');
  }
  return Buffer.concat(chunks);
}
