/** Runs one command in a container, whichever user it is of. */
import type { PtyProcess } from '../../../src/backend.ts';
import { CaissonError, isCode } from '../../../src/errors.ts';
import { NotStartedProcess } from '../../shared/not-started.ts';
import { classify, entering, preflight } from './preflight.ts';
import { ExecProcess } from './process.ts';
import type { Command, Container, StartOptions } from './start.ts';

export async function runIn(container: Container, command: Command, options: StartOptions): Promise<PtyProcess> {
  try {
    if (options.cwd === '/' && options.terminal === null)
      return await ExecProcess.start(container, command, {
        ...options,
        // The codes of engines differ from one version and one kind of path to the next.
        classify: () => classify(container, command, options),
      });
    const missing = await preflight(container, command, options);
    if (missing !== null)
      return Object.assign(new NotStartedProcess(missing, options.stdin), { resize: async () => undefined });
    return await ExecProcess.start(container, entering(command, options), options);
  } catch (error) {
    throw inWords(error);
  }
}

export function inWords(error: unknown): unknown {
  if (isCode(error, 'not_found'))
    return new CaissonError('not_found', 'the sandbox is gone; the command was not started', { cause: error });
  if (isCode(error, 'failed_precondition')) {
    return new CaissonError('failed_precondition', 'the sandbox does not run; the command was not started', {
      cause: error,
      remedy: 'start the sandbox first',
    });
  }
  return error;
}
