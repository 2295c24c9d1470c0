/** Starts a command that goes on without us. */
import type { Context } from './context.ts';
import type { ExecRequest } from './execute.ts';
import type { Option } from './option.ts';
import { UsageError } from './usage.ts';

export const detachOption = {
  type: 'flag',
  about: 'start it, print its id and leave it running (ps, logs, wait, kill)',
} as const satisfies Option;

export async function detach(request: ExecRequest, context: Context): Promise<number> {
  if (request.taskId === undefined)
    throw new UsageError('--detach needs --task: a sandbox without a task ends with its command');
  const started = await (await context.service()).processes.start(request, context.options);
  if (context.json) await context.printJson(started);
  else await context.print(`${started.id}\n`);
  return 0;
}
