/** One command to its end, both of its streams together, as the toolbox runs it. */
import type { ExecuteResponse } from '@daytona/toolbox-api-client';
import { type Box, endProcess } from './box.ts';
import { daemonError } from './refuse.ts';

interface Execution {
  readonly command: string;
  readonly cwd?: string | undefined;
  readonly envs?: Readonly<Record<string, string>> | undefined;
  /** Seconds; 0: no limit. */
  readonly timeout?: number | undefined;
}

const maxBytes = 16 * 2 ** 20;

export async function execute(box: Box, { command, cwd, envs, timeout = 360 }: Execution): Promise<ExecuteResponse> {
  const child = box.spawn({ argv: ['/bin/sh', '-s'], cwd, env: envs });
  const chunks: Buffer[] = [];
  let bytes = 0;
  const keep = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  child.stdin?.on('error', () => undefined); // It has ended, which its exit reports.
  child.stdin?.end(`${command}\n`);
  let late = false;
  const timer = setTimeout(
    () => {
      late = true;
      if (child.pid !== undefined) endProcess(-child.pid);
    },
    timeout === 0 ? 2 ** 31 - 1 : timeout * 1000,
  );
  const exitCode = await new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 137)));
  clearTimeout(timer);
  if (late) throw daemonError(408, 'command execution timeout', 'PROCESS_EXECUTION_TIMEOUT');
  await new Promise((resolve) => setImmediate(resolve));
  return { exitCode, result: Buffer.concat(chunks).toString('utf8') };
}
