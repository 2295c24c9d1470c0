/**
 * Runs work in the task's sandbox. A handle may have died since it was made (the engine restarted, somebody removed the
 * container): the contract says that nothing was started then, so the work is given a healed sandbox, once.
 */
import { isCode } from '../errors.ts';
import { acquire } from './acquire.ts';
import type { Context, Handle, StepOptions } from './context.ts';
import type { Plan } from './create.ts';
import { forgetLive } from './live.ts';

/** The same by task, of a sandbox that is there. */
export type Within = <T>(task: string, options: StepOptions, work: (handle: Handle) => Promise<T>) => Promise<T>;

export async function withSandbox<T>(
  context: Context,
  plan: Plan,
  options: StepOptions,
  work: (handle: Handle) => Promise<T>,
): Promise<T> {
  const handle = await acquire(context, plan, options);
  try {
    return await work(handle);
  } catch (error) {
    const dead = isCode(error, 'not_found') || isCode(error, 'failed_precondition');
    if (!dead || handle.how !== 'found') throw error;
    forgetLive(context, handle.row.id);
    return await work(await acquire(context, { ...plan, recreate: false }, options));
  }
}
