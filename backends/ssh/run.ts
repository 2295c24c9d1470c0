/** Runs a script of Caisson on the host to its end. Its output is small, and bounded. */
import { CaissonError } from '../../src/errors.ts';
import type { Pool } from './pool.ts';
import { startProcess } from './start.ts';

const maxBytes = 16 * 1024 * 1024;

export interface Script {
  readonly script: string;
  readonly args: readonly string[];
  readonly signal?: AbortSignal | undefined;
  readonly urgent?: boolean;
}

export interface ScriptOutput {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function run(pool: Pool, { script, args, signal, urgent = false }: Script): Promise<ScriptOutput> {
  const process = await startProcess(
    pool,
    {
      command: ['sh', '-c', script, 'sh', ...args],
      cwd: '/',
      env: {},
      stdin: false,
      guard: null,
      terminal: null,
    },
    { signal, urgent },
  );
  try {
    const [end, stdout, stderr] = await Promise.all([process.wait(), text(process.stdout), text(process.stderr)]);
    return { code: end.exitCode, stdout, stderr };
  } finally {
    process.release();
  }
}

async function text(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new CaissonError('internal', 'the host answers with more than it was asked for');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
