import type { Process, PtyProcess, Sandbox } from '../backend.ts';
import { abortError, CaissonError, isCode } from '../errors.ts';
import type { ExecContext } from './context.ts';
import { execVariable } from './request.ts';
import type { ExecRequest } from './types.ts';

/**
 * Has the place accept the command. The deadline covers this step too, with a clock of its own, since a place that
 * hangs here would otherwise hang for ever.
 */
export async function accept(
  sandbox: Sandbox,
  request: ExecRequest,
  { signal, closing }: Pick<ExecContext, 'signal' | 'closing'>,
): Promise<Process | PtyProcess> {
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
      : setTimeout(() => starting.abort(lateStart(request.timeoutMs)), request.timeoutMs);
  try {
    return await callPlace(sandbox, request, starting.signal);
  } catch (error) {
    if (starting.signal.aborted && isCode(error, 'canceled')) throw abortError(starting.signal);
    throw error;
  } finally {
    clearTimeout(timer);
    for (const one of stops) one.removeEventListener('abort', stop);
  }
}

function callPlace(sandbox: Sandbox, request: ExecRequest, signal: AbortSignal): Promise<Process | PtyProcess> {
  const { command, cwd, tty } = request;
  const env = { ...request.env, [execVariable]: request.execId };
  if (tty === null) return sandbox.exec(command, { cwd, env, stdin: request.stdin, signal });
  if (sandbox.pty === undefined) {
    throw new CaissonError('not_supported', 'this backend has no terminals', {
      remedy: 'run the command without a terminal',
    });
  }
  return sandbox.pty.exec(command, { cwd, env, columns: tty.columns, rows: tty.rows, signal });
}

function lateStart(timeoutMs: number | null): CaissonError {
  return new CaissonError(
    'timed_out',
    `the place did not accept the command within ${timeoutMs} ms; it was called off`,
  );
}
