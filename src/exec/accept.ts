import type { ExecOptions, Process, PtyProcess } from '../backend.ts';
import { abortError, CaissonError, isCode } from '../errors.ts';
import type { ExecContext } from './context.ts';
import { startedAs } from './code.ts';
import { execVariable } from '../values/exec-variable.ts';
import type { ExecRequest } from './types.ts';
import type { UserSandbox } from './user.ts';

/** What became of a start. */
export type Accepted =
  | {
      readonly is: 'running';
      readonly process: Process | PtyProcess;
      readonly sentAtMs: number | null;
      readonly note: string | null;
    }
  /** The request had left when the start failed, so the command may have run. */
  | { readonly is: 'unsure'; readonly error: CaissonError };

/** After these the command has certainly not run, whatever was sent (see `Sandbox.exec`). */
const notRun = ['not_found', 'failed_precondition', 'invalid_argument'] as const;

/**
 * Has the place accept the command. The deadline covers this step too, with a clock of its own, since a place that
 * hangs here would otherwise hang for ever. Throws only when nothing of the command has reached the place.
 */
export async function accept(
  place: UserSandbox,
  request: ExecRequest,
  { signal, closing }: Pick<ExecContext, 'signal' | 'closing'>,
): Promise<Accepted> {
  const starting = new AbortController();
  const stops = [signal, closing].filter((one) => one !== undefined);
  const stop = (): void => starting.abort(stops.find(({ aborted }) => aborted)?.reason);
  for (const one of stops) {
    if (one.aborted) throw abortError(one);
    one.addEventListener('abort', stop, { once: true });
  }
  const timer =
    request.timeoutMs === null
      ? undefined
      : setTimeout(() => starting.abort(startTimeoutError(request.timeoutMs)), request.timeoutMs);
  let sentAtMs: number | null = null;
  let note: string | null = null;
  try {
    const process = await callPlace(place, request, {
      signal: starting.signal,
      onSent: () => (sentAtMs = performance.now()),
      onNote: (said) => (note = said),
    });
    return { is: 'running', process, sentAtMs, note };
  } catch (cause) {
    const error = starting.signal.aborted && isCode(cause, 'canceled') ? abortError(starting.signal) : cause;
    if (sentAtMs === null || notRun.some((code) => isCode(error, code))) throw error;
    return { is: 'unsure', error: toStartError(error) };
  } finally {
    clearTimeout(timer);
    for (const one of stops) one.removeEventListener('abort', stop);
  }
}

function toStartError(error: unknown): CaissonError {
  return error instanceof CaissonError
    ? error
    : new CaissonError('unavailable', 'the start of the command failed', { cause: error });
}

function callPlace(
  place: UserSandbox,
  request: ExecRequest,
  how: Pick<ExecOptions, 'signal' | 'onSent' | 'onNote'>,
): Promise<Process | PtyProcess> {
  const { cwd, tty, confidential = false } = request;
  const { command, env: given } = startedAs(request);
  const env = { ...given, [execVariable]: request.execId };
  if (tty === null) return place.exec(command, { cwd, env, confidential, stdin: request.stdin, ...how });
  if (place.pty === undefined) {
    throw new CaissonError('not_supported', 'this backend has no terminals', {
      remedy: 'run the command without a terminal',
    });
  }
  return place.pty.exec(command, { cwd, env, columns: tty.columns, rows: tty.rows, ...how });
}

function startTimeoutError(timeoutMs: number | null): CaissonError {
  return new CaissonError('timed_out', `the place did not accept the command within ${timeoutMs} ms`);
}
