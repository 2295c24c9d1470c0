/** Execs of one owner. */
import type { ExecEvent, ExecInput, ExecsApi, LogInput, Options, SandboxRequest } from '../api.ts';
import { newExecId } from '../../exec/random.ts';
import { operator } from '../../values/caller.ts';
import { noRecord } from '../exec/records.ts';
import type { Mine } from './place.ts';
import { refuse } from './refused.ts';
import type { Scope } from './scope.ts';

type Wanted = SandboxRequest & { readonly execId?: string } & Partial<Pick<ExecInput, 'rawOutput' | 'skills'>>;

/** A request with the ids that core knows. */
export async function keyed<Input extends Wanted>({ scope, place }: Mine, input: Input): Promise<Input> {
  const { taskId = '', existing, rawOutput, skills = [] } = input;
  if (scope.owner !== operator && (rawOutput === true || skills.length > 0)) refuse();
  const key = existing === true ? await place(taskId) : scope.taskKey(taskId);
  return { ...input, taskId: key, ...keyedId(scope, input) };
}

/** An id that is chosen later would have no owner in it. */
export function keyedId(scope: Scope, { execId }: { readonly execId?: string }): { readonly execId?: string } {
  if (execId === undefined && scope.owner === operator) return {};
  return { execId: scope.execKey(execId ?? newExecId()) };
}

export function execsOf(mine: Mine): ExecsApi {
  const { api, scope, place, asked } = mine;
  const { execs } = api;
  const get: ExecsApi['get'] = (execId, options) =>
    asked(async () => {
      const found = await execs.get(scope.execKey(execId), options);
      if (!scope.has(found.where)) throw noRecord(execId);
      return scope.ofExec(found);
    });
  return {
    start: (request, options) =>
      asked(async () => scope.ofExec(await execs.start(await keyed(mine, request), options))),
    run: (request, options) => asked(async () => scope.ofResult(await execs.run(await keyed(mine, request), options))),
    list: ({ task, ...filter } = {}, options) =>
      asked(async () => {
        const named = task === undefined ? {} : { task: await place(task) };
        const { items, nextCursor } = await execs.list({ ...filter, ...named, owner: scope.owner }, options);
        return { items: items.map((item) => scope.ofExec(item)), nextCursor };
      }),
    get,
    cancel: (execId, options) => asked(async () => await execs.cancel(scope.execKey(execId), options)),
    logs: (id, how, options) => logsOf(mine, { id, how, options }),
  };
}

interface Asked {
  readonly id: string;
  readonly how: LogInput | undefined;
  readonly options: Options | undefined;
}

/** Of what another owner started in a task that was its own, nothing is shown. */
async function* logsOf(
  { api, scope, place }: Mine,
  { id, how, options }: Asked,
): AsyncGenerator<ExecEvent, void, void> {
  try {
    const key = id.startsWith('exec_') ? scope.execKey(id) : await place(id);
    for await (const event of api.execs.logs(key, how, options))
      if (scope.hasExec(event.execId)) yield shownEvent(scope, event);
  } catch (error) {
    throw scope.error(error);
  }
}

function shownEvent(scope: Scope, { execId, event, ...rest }: ExecEvent): ExecEvent {
  const shown = event.type === 'started' ? { ...event, where: scope.ofTask(event.where) } : event;
  return { ...rest, execId: scope.exec(execId), event: shown };
}
