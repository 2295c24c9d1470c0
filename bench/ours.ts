/** The subject: commands through the library, as a caller would run them. */
import type { SandboxRequest } from '../src/service/api.ts';
import { CaissonError } from '../src/errors.ts';
import type { BenchPlace } from './place.ts';

export interface OurExec {
  readonly exitCode: number | null;
  readonly bytes: number;
  readonly firstByteMs: number;
  readonly endMs: number;
}

/** All that the subject needs of a place. */
export interface OurPlace {
  readonly caisson: Pick<BenchPlace['caisson'], 'exec'>;
}

/** Creates or gets the sandbox, runs the command, reads all it prints. A command with stdin goes the direct path, past lanes. */
export async function ourExec(
  place: OurPlace,
  request: SandboxRequest,
  command: readonly [string, ...string[]],
  path: 'fastest' | 'direct' = 'fastest',
): Promise<OurExec> {
  const began = performance.now();
  const running = await place.caisson.exec({ ...request, command, timeoutMs: null, stdin: path === 'direct' });
  running.stdin?.end();
  let [bytes, firstByteMs] = [0, Number.NaN];
  running.stdout.on('data', (chunk: Uint8Array) => {
    if (bytes === 0) firstByteMs = performance.now() - began;
    bytes += chunk.length;
  });
  running.stderr.resume();
  const exit = await running.exit;
  const endMs = performance.now() - began;
  if (exit.reason !== 'exited')
    throw new CaissonError('internal', `the command ended with ${exit.reason}: ${exit.notes.join(' ')}`);
  return { exitCode: exit.exitCode, bytes, firstByteMs, endMs };
}
