/** Runs a script of a file tool and gives what it wrote, bounded. */
import type { Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { scriptOf } from '../../inside/script.ts';
import { endOf, failureOf, killNow, startTransfer } from '../transfer.ts';

export interface ToolRun {
  /** In `src/inside/files/`, without `.sh`. */
  readonly script: string;
  /** The first one is the path, as errors tell it. */
  readonly args: readonly [string, ...string[]];
  readonly input?: Uint8Array;
  /** Bytes of the answer. More than that is more than was asked for, and an error. Absent: 2 MiB. */
  readonly most?: number;
  /** Paths are real ones, as rules have judged them, and must still be. */
  readonly real?: boolean;
  readonly signal?: AbortSignal | undefined;
}

const usualMost = 2 * 1024 * 1024;
const patienceMs = 120_000;

export interface ToolEnd {
  readonly bytes: Buffer;
  /** By the exit code of the script. Not thrown: only what is thrown may mean that the sandbox is gone. */
  readonly failure: CaissonError | null;
}

export async function runTool(
  sandbox: Sandbox,
  { script, args, input, signal, real = false, most = usualMost }: ToolRun,
): Promise<ToolEnd> {
  const late = AbortSignal.timeout(patienceMs);
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
    process.stdin?.on('error', () => {}).end(input);
    const [end, bytes] = await Promise.all([endOf(process, until), collect(process.stdout, most)]);
    return { bytes, failure: failureOf(end, args[0], said()) };
  } catch (error) {
    await killNow(process);
    throw error;
  } finally {
    process.release();
  }
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
