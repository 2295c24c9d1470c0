/** Runs a script of this backend in the pod to its end. Its output is small, and bounded. */
import { CaissonError } from '../../src/errors.ts';
import { shellText } from '../../src/lib/script.ts';
import { startProcess, type Target } from './start.ts';

const mostBytes = 64 * 1024;

/** Paths are whole, so that the bundle finds each file. */
const scripts = { canary: 'backends/kubernetes/canary', memory: 'backends/kubernetes/memory' } as const;

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
}

export async function runScript(
  target: Target,
  name: keyof typeof scripts,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<Ran> {
  const process = await startProcess(
    target,
    {
      command: ['/bin/sh', '-c', shellText(scripts[name]), 'sh', ...args],
      cwd: '/',
      env: {},
      stdin: false,
      guard: null,
      terminal: null,
    },
    { ...(signal === undefined ? {} : { signal }) },
  );
  process.stderr.resume();
  try {
    const [end, stdout] = await Promise.all([process.wait(), text(process.stdout)]);
    return { code: end.exitCode, stdout };
  } finally {
    process.release();
  }
}

async function text(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new CaissonError('internal', 'the pod answers with more than it was asked for');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
