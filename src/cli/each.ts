/** One verb on several tasks: a failure does not stop the others, and all are reported. */
import { toCaissonError } from '../errors.ts';
import type { Context } from './context.ts';
import { report } from './report.ts';
import { everyItem } from '../service/api.ts';
import { UsageError } from './usage.ts';

export interface Tasks {
  readonly operands: readonly string[];
  /** Instead of operands: every sandbox, or those that are stopped. */
  readonly all: 'all' | 'stopped' | null;
}

/** Prints each task that is done. Resolves to 0, or to the exit code of the first failure. */
export async function forEachTask(
  tasks: Tasks,
  context: Context,
  act: (task: string) => Promise<void>,
): Promise<number> {
  const names = await namesOf(tasks, context);
  let exitCode = 0;
  const done: string[] = [];
  for (const name of names) {
    try {
      await act(name);
      done.push(name);
      if (!context.json && !context.quiet) await context.print(`${name}\n`);
    } catch (error) {
      if (context.interrupted() !== null) throw error;
      context.clearStatus();
      const failure = await report(toCaissonError(error), context.world, {
        json: context.json,
        colourRefused: context.colourRefused,
      });
      exitCode ||= failure;
    }
  }
  if (context.json) await context.printJson(done);
  return exitCode;
}

async function namesOf({ operands, all }: Tasks, context: Context): Promise<readonly string[]> {
  if (all !== null && operands.length > 0)
    throw new UsageError(`--${all} and names are both given`, { remedy: 'give one of them' });
  if (all === null && operands.length === 0)
    throw new UsageError('which task?', { remedy: 'name it, or give --all; caisson ls lists the sandboxes' });
  if (all === null) return operands;
  const { sandboxes } = await context.service();
  const filter = all === 'stopped' ? ({ state: 'stopped' } as const) : {};
  return (await Array.fromAsync(everyItem((page) => sandboxes.list({ ...filter, ...page })))).map(
    ({ taskId }) => taskId,
  );
}
