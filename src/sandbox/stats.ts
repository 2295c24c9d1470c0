import type { Sandbox, Stats } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import { cancelable, type Handle, type StepOptions } from './context.ts';

/** Throws `not_supported` where the backend has none. */
export async function readStats({ sandbox, row }: Handle, options: StepOptions): Promise<Stats> {
  const { stats }: Sandbox = sandbox;
  if (stats !== undefined) return await stats.read(cancelable(options));
  throw new CaissonError('not_supported', `the backend of ${row.taskId} has no usage figures`);
}
