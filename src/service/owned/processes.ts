/** Detached processes and sessions of one owner. */
import type { ListedProcess, ProcessesApi, SessionInput, SessionsApi } from '../api.ts';
import { unknownProcessError } from '../../exec/detached/list.ts';
import { processes as processRows } from '../verbs/processes.ts';
import { sessions as rows } from '../verbs/sessions.ts';
import { byTask } from '../verbs/task.ts';
import { keyed, keyedId } from './execs.ts';
import { made } from './made.ts';
import type { Mine } from './place.ts';

export function processesOf(mine: Mine): ProcessesApi {
  const { api, scope, bound, place, asked } = mine;
  const { processes } = api;
  const shown = <T extends { readonly id: string; readonly state: string }>(found: T): T =>
    found.state === 'unreadable' ? found : { ...found, id: scope.exec(found.id) };
  // A sandbox tells the ids, and may tell any.
  const isMine = async (found: ListedProcess): Promise<boolean> =>
    scope.has(found) && (found.state === 'unreadable' || scope.hasExec(found.id)) && (await bound.sees(found));
  const found: ProcessesApi['get'] = async (processId, options) => {
    const process = await processes.get(scope.execKey(processId), options);
    if (!(await isMine(process))) throw unknownProcessError(processId);
    return process;
  };
  const own: ProcessesApi = {
    start: (request, options) =>
      asked(async () => scope.ofExec(await processes.start(await keyed(mine, request), options))),
    list: ({ task, ...filter } = {}, options) =>
      asked(async () => {
        const named = task === undefined ? {} : { task: await place(task) };
        const all = await processes.list({ ...filter, ...named, owner: scope.owner }, options);
        const seen = await Promise.all(all.map(isMine));
        return all.filter((_, index) => seen[index] === true).map((each) => shown(scope.ofTask(each)));
      }),
    get: (processId, options) => asked(async () => shown(scope.ofTask(await found(processId, options)))),
    input: (processId, source, options) =>
      asked(async () => await processes.input((await found(processId, options)).id, source, options)),
    wait: (processId, options) =>
      asked(async () => shown(await processes.wait((await found(processId, options)).id, options))),
    kill: (processId, signal, options) =>
      asked(async () => {
        const killed = await processes.kill((await found(processId, options)).id, signal, options);
        return { ...killed, process: shown(killed.process) };
      }),
  };
  return byTask(own, processRows);
}

export function sessionsOf(mine: Mine): SessionsApi {
  const { scope, place, asked } = mine;
  const { sessions } = mine.api;
  const input = async (given: SessionInput): Promise<SessionInput> => ({
    ...given,
    taskId: await place(given.taskId),
    ...keyedId(scope, given),
  });
  const byHand: Pick<SessionsApi, 'exec' | 'run'> = {
    exec: (given: SessionInput, options) =>
      asked(async () => scope.ofExec(await sessions.exec(await input(given), options))),
    run: (given: SessionInput, options) =>
      asked(async () => scope.ofResult(await sessions.run(await input(given), options))),
  };
  return made(mine, sessions, { rows, byHand });
}
