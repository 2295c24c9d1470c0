/** Execs of one owner. */
import type { ExecEvent, ExecInput, ExecsApi, LogInput, Options, SandboxRequest } from '../api.ts';
import { isCode } from '../../errors.ts';
import { newExecId } from '../../exec/random.ts';
import { operator } from '../../values/caller.ts';
import { recordMissingError } from '../exec/records.ts';
import { execs as rows } from '../verbs/execs.ts';
import { byTask } from '../verbs/task.ts';
import { keyOf, type Mine } from './place.ts';
import { refuse } from './refused.ts';
import type { Scope } from './scope.ts';

type OwnedExecRequest = SandboxRequest & { readonly execId?: string } & Partial<
    Pick<ExecInput, 'rawOutput' | 'skills'>
  >;

/** A request with the ids that core knows. */
export async function keyed<Input extends OwnedExecRequest>(mine: Mine, input: Input): Promise<Input> {
  const { rawOutput, skills = [] } = input;
  if (!mine.isOperator && (rawOutput === true || skills.length > 0)) refuse();
  // The sandbox of one command alone: of other owners the task says whose it is, and so has a name.
  const place = input.taskId === undefined && mine.isOperator ? {} : { taskId: await keyOf(mine, input) };
  return { ...input, ...place, ...keyedId(mine.scope, input) };
}

/** An id that is chosen later would have no owner in it. */
export function keyedId(scope: Scope, { execId }: { readonly execId?: string }): { readonly execId?: string } {
  if (execId === undefined && scope.owner === operator) return {};
  return { execId: scope.execKey(execId ?? newExecId()) };
}

export function execsOf(mine: Mine): ExecsApi {
  const { api, scope, bound, place, asked } = mine;
  const { execs } = api;
  const get: ExecsApi['get'] = (execId, options) =>
    asked(async () => {
      const found = await execs.get(scope.execKey(execId), options);
      if (!scope.has(found.where) || !(await bound.sees(found.where))) throw recordMissingError(execId);
      return scope.ofExec(found);
    });
  const own: ExecsApi = {
    start: (request, options) =>
      asked(async () => scope.ofExec(await execs.start(await keyed(mine, request), options))),
    run: (request, options) => asked(async () => scope.ofResult(await execs.run(await keyed(mine, request), options))),
    list: ({ task, ...filter } = {}, options) =>
      asked(async () => {
        const named = task === undefined ? {} : { task: await place(task) };
        const within = { ...bound.task(named), ...(await bound.among()), owner: scope.owner };
        const { items, nextCursor } = await execs.list({ ...filter, ...within }, options);
        return { items: items.map((item) => scope.ofExec(item)), nextCursor };
      }),
    get,
    cancel: (execId, options) =>
      asked(async () => {
        if (bound.isBound) await get(execId, options);
        await execs.cancel(scope.execKey(execId), options);
      }),
    logs: (id, how, options) => logsOf(mine, { id, how, options }),
  };
  return byTask(own, rows);
}

interface LogsRequest {
  readonly id: string;
  readonly how: LogInput | undefined;
  readonly options: Options | undefined;
}

/** Shows nothing that another owner started in a task that this owner had. */
async function* logsOf(
  { api, scope, bound, place }: Mine,
  { id, how, options }: LogsRequest,
): AsyncGenerator<ExecEvent, void, void> {
  const known = new Set<string>();
  const isSeen = async (key: string): Promise<boolean> =>
    !bound.isBound || (await bound.sees(await whereOf(api, key, options)));
  try {
    const key = id.startsWith('exec_') ? scope.execKey(id) : await place(id);
    if (id.startsWith('exec_') && !(await isSeen(key))) throw recordMissingError(id);
    for await (const event of api.execs.logs(key, how, options))
      if (scope.hasExec(event.execId)) {
        if (!known.has(event.execId) && !(await isSeen(event.execId))) continue;
        known.add(event.execId);
        yield shownEvent(scope, event);
      }
  } catch (error) {
    throw scope.error(error);
  }
}

/** Finds where an exec ran, or a detached process, whose record is in its sandbox. Throws `not_found`. */
async function whereOf(
  { execs, processes }: Mine['api'],
  key: string,
  options: Options | undefined,
): Promise<{ readonly taskId: string; readonly sandboxId: string }> {
  try {
    return (await execs.get(key, options)).where;
  } catch (error) {
    if (!isCode(error, 'not_found')) throw error;
    return await processes.get(key, options);
  }
}

function shownEvent(scope: Scope, { execId, event, ...rest }: ExecEvent): ExecEvent {
  const shown = event.type === 'started' ? { ...event, where: scope.ofTask(event.where) } : event;
  return { ...rest, execId: scope.exec(execId), event: shown };
}
