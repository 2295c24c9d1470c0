/** Starts a command that goes on without us. */
import type { Context } from './context.ts';
import type { ExecRequest, How } from './execute.ts';
import type { Option } from './option.ts';
import { UsageError } from './usage.ts';

export const detachOption = {
  type: 'flag',
  about: 'start it, print its id and leave it running (ps, logs, attach, wait, kill)',
} as const satisfies Option;

/** `interactive`: its input stays open for `attach`. */
export async function detach(request: ExecRequest, { interactive, tty }: How, context: Context): Promise<number> {
  if (tty) throw new UsageError('-t does not go with --detach', { remedy: 'use -i alone to keep its input open' });
  const { user, ...rest } = request;
  if (user !== undefined)
    throw new UsageError('--user does not go with --detach', {
      remedy: 'start it as root, by a program that changes the user, or leave out --detach',
    });
  if (request.taskId === undefined)
    throw new UsageError('--detach needs --task: a sandbox without a task ends with its command');
  const started = await (
    await context.service()
  ).processes.start(interactive ? { ...rest, stdin: true } : rest, context.options);
  if (context.json) await context.printJson(started);
  else await context.print(`${started.id}\n`);
  return 0;
}
