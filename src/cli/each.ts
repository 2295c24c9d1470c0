/** The same verb on several tasks: a failure does not stop the others, and all are reported. */
import { toCaissonError } from '../errors.ts';
import type { Context } from './context.ts';
import { report } from './report.ts';
import { everyItem } from '../service/api.ts';
import { UsageError } from './usage.ts';

export interface Tasks {
  readonly operands: readonly string[];
  readonly all: boolean;
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
  if (all && operands.length > 0)
    throw new UsageError('--all and names are both given', { remedy: 'give one of them' });
  if (!all && operands.length === 0)
    throw new UsageError('which task?', { remedy: 'name it, or give --all; caisson ls shows what is there' });
  if (!all) return operands;
  const { sandboxes } = await context.service();
  return (await Array.fromAsync(everyItem((page) => sandboxes.list(page)))).map(({ taskId }) => taskId);
}
