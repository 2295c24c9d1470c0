/**
 * Runs work in the task's sandbox, which is in use until the work has ended. A handle may have died since it was made (the
 * engine restarted, the container was removed): the contract says that nothing was started then, so the work is given a
 * healed sandbox, once. Work that has started something is never begun again.
 */
import type { Sandbox } from '../backend.ts';
import { abortError, isCode } from '../errors.ts';
import { acquire } from './acquire.ts';
import type { Context, Handle, StepOptions } from './context.ts';
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
    if (!dead || handle.how !== 'found' || watched.hasStarted()) throw error;
    forgetLive(context, handle.row.id);
  } finally {
    context.uses.end(handle.row);
  }
  const healed = await used(context, { ...plan, recreate: false }, options);
  return await work(healed).finally(() => context.uses.end(healed.row));
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
