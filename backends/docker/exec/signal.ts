/**
 * Sends a signal to one exec. The engine only knows its pid on the host, which says nothing inside the container, so a
 * second exec looks for it there: the process that carries the exec's mark in its environment and whose parent is
 * outside the container (parent pid 0). Its children carry the mark too, but have a parent.
 */
import { CaissonError } from '../../../src/errors.ts';
import { shellText } from '../../../src/lib/script.ts';
import { signalNames } from './signal-names.ts';

export function checkSignal(signal: string): void {
  if (!signalNames.has(signal))
    throw new CaissonError('invalid_argument', `there is no signal ${JSON.stringify(signal.slice(0, 20))}`);
}

/** Runs a command in the container and tells the first line of its output. */
export type Run = (
  command: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
) => Promise<string | null>;

/** Tells whether the process was there. */
export async function sendSignal(run: Run, mark: string, signal: string): Promise<boolean> {
  const script = shellText('backends/docker/exec/signal');
  const answer = await run(['sh', '-c', script, 'sh', signal.slice('SIG'.length)], { CAISSON_KILL: mark });
  if (answer === 'sent' || answer === 'none') return answer === 'sent';
  throw new CaissonError(
    'not_supported',
    'the sandbox has no sh, tr and grep with which a command could be signalled',
    {
      remedy: 'destroy the sandbox, or use an image that has them',
    },
  );
}
