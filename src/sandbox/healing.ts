/**
 * Runs work in the task's sandbox, which is in use until the work has ended. A handle may have died since it was made (the
 * engine restarted, the container was removed): the contract says that nothing was started then, so the work is given a
 * healed sandbox, once. Work that has started something is never begun again.
 */
import type { Sandbox } from '../backend.ts';
import { abortError, CaissonError, type Code, isCode } from '../errors.ts';
import { acquire } from './acquire.ts';
import type { Context, Handle, StepOptions } from './context.ts';
import { whoEnded } from './ended-by.ts';
import type { Plan } from '../plan/types.ts';
import { forgetLive } from './live.ts';

/** Runs work as `withSandbox` does, in the sandbox that a task already has. */
export type Within = <T>(task: string, options: StepOptions, work: (handle: Handle) => Promise<T>) => Promise<T>;

export async function withSandbox<T>(
  context: Context,
  plan: Plan,
  options: StepOptions,
  work: (handle: Handle) => Promise<T>,
): Promise<T> {
  const handle = await used(context, plan, options);
  const watched = watch(handle);
  try {
    return await work(watched.handle);
  } catch (error) {
    const dead = isCode(error, 'not_found') || isCode(error, 'failed_precondition');
    if (!dead || handle.how !== 'found' || watched.hasStarted()) throw await cutOffError(context, handle, error);
    forgetLive(context, handle.row.id);
  } finally {
    context.uses.end(handle.row);
  }
  const healed = await used(context, { ...plan, recreate: false }, options);
  try {
    return await work(healed);
  } catch (error) {
    throw await cutOffError(context, healed, error);
  } finally {
    context.uses.end(healed.row);
  }
}

/** Codes that a call may end with when its sandbox goes away under it; a session whose shell cannot be asked is a question. */
const byLoss: readonly Code[] = [
  'not_supported',
  'failed_precondition',
  'unavailable',
  'internal',
  'approval_required',
];

/** Another verb may have stopped or removed the sandbox meanwhile: then that is the reason, and the error its consequence. */
async function cutOffError(context: Context, { row }: Handle, error: unknown): Promise<unknown> {
  if (!byLoss.some((code) => isCode(error, code))) return error;
  const reason = await whoEnded(context, row).catch(() => null);
  if (reason === null) return error;
  const remedy = 'call it again: the sandbox is started or made anew then';
  return new CaissonError('conflict', `it was cut off: ${reason}`, { cause: error, remedy });
}

/** A sandbox that is being stopped is not used: `acquire` waits for its end, and starts it again. */
async function used(context: Context, plan: Plan, options: StepOptions): Promise<Handle> {
  for (let recreate = plan.recreate; ; recreate = false) {
    if (options.signal?.aborted === true) throw abortError(options.signal);
    const handle = await acquire(context, { ...plan, recreate }, options);
    if (await context.uses.begin(handle.row)) return handle;
    forgetLive(context, handle.row.id);
  }
}

function watch(handle: Handle): { readonly handle: Handle; hasStarted(): boolean } {
  let started = false;
  const { sandbox } = handle;
  const noting = async <T>(start: Promise<T>): Promise<T> => {
    const process = await start;
    started = true;
    return process;
  };
  const { pty } = sandbox;
  const watched: Sandbox = {
    ...sandbox,
    exec: (command, options) => noting(sandbox.exec(command, options)),
    destroy: (options) => sandbox.destroy(options),
    ...(pty === undefined ? {} : { pty: { exec: (command, options) => noting(pty.exec(command, options)) } }),
  };
  return { handle: { ...handle, sandbox: watched }, hasStarted: () => started };
}
