/** Starting one command on the direct path, by the backend's own exec. */
import type { Process, PtyProcess, Sandbox } from '../backend.ts';
import { isCode, toCaissonError } from '../errors.ts';
import type { CaissonError } from '../errors.ts';
import { failpoint } from '../lib/failpoint.ts';
import { accept } from './accept.ts';
import type { ExecContext, Watched } from './context.ts';
import type { Exit } from '../values/exit.ts';
import { exitWithout } from '../values/outcome.ts';
import type { CheckedRequest } from './request.ts';
import { RunningExec } from './running.ts';
import { forcedBy, UnseenProcess } from './unseen.ts';
import type { Execution } from './types.ts';
import { sandboxOf } from './user.ts';

/**
 * Resolves when the place has accepted the command, and also when the start failed after the request had left: the exit
 * is then `timed-out`, `canceled` or `lost`, after the tree was looked for and ended. So a rejection means that nothing of
 * the command has run. It throws what the place threw, `not_supported` for a terminal where the backend has no terminals, `timed_out` for a place that did not accept it within the
 * request's timeout.
 *
 * After `not_found` and `failed_precondition` the record is still open, so that the caller may make the sandbox anew and
 * try again with it, or end it with `startFailed`. After any other error the record has been ended.
 */
export async function startExec(sandbox: Sandbox, request: CheckedRequest, context: ExecContext): Promise<Execution> {
  try {
    const place = sandboxOf(sandbox, request.user);
    const watched = { sandbox, place, request, context };
    const accepted = await accept(place, request, context);
    await failpoint('exec-accepted');
    if (accepted.is === 'running') {
      const { process, sentAtMs, note } = accepted;
      return watchExec(process, { ...watched, ...(sentAtMs === null ? {} : { sentAtMs }), note });
    }
    return new RunningExec(new UnseenProcess(accepted.error), watched, forcedBy(accepted.error));
  } catch (cause) {
    const error = toCaissonError(cause);
    if (!isCode(error, 'not_found') && !isCode(error, 'failed_precondition'))
      await context.recorder?.end(startFailed(error));
    throw error;
  }
}

/** Makes an exec of a process that runs already, whichever way it was started. */
export function watchExec(process: Process | PtyProcess, watched: Watched): Execution {
  return new RunningExec(process, watched);
}

/** The exit of an exec whose start failed, for its record. */
export function startFailed(error: CaissonError): Exit {
  const note = `the command did not start: ${error.message.slice(0, 500)}`;
  if (error.code === 'canceled') return exitWithout('canceled', note);
  if (error.code === 'timed_out') return exitWithout('timed-out', note);
  return exitWithout('lost', note);
}
