/** Waits for the opening mark of a command: that it starts, or why not. */
import type { Process } from '../../backend.ts';
import { abortError, CaissonError } from '../../errors.ts';
import type { Opening } from './lane-process.ts';

interface OpeningProcess extends Process {
  readonly opening: Promise<Opening>;
}

/**
 * Throws `invalid_argument` for a directory that cannot be entered, after which nothing of the command has run, and what
 * `opening` throws; the signal's reason when that fires first, after which it may have.
 */
export async function whenOpened<P extends OpeningProcess>(process: P, cwd: string, signal?: AbortSignal): Promise<P> {
  const opening = await openingOrAbort(process, signal);
  if (opening !== 'no-directory') return process;
  // Its end frees the lane, or the connection.
  process.stdout.resume();
  process.stderr.resume();
  throw new CaissonError('invalid_argument', `the working directory ${cwd} is not a directory that can be entered`, {
    details: { cwd },
    remedy: 'create it first, let the user of the command enter it, or choose another cwd',
  });
}

async function openingOrAbort(process: OpeningProcess, signal: AbortSignal | undefined): Promise<Opening> {
  if (signal === undefined) return await process.opening;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(abortError(signal));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([process.opening, aborted.promise]);
  } catch (error) {
    process.release();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
