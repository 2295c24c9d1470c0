import { z } from 'zod';
import { CaissonError, isCode } from '../../errors.ts';
import { execs } from '../../service/verbs/execs.ts';
import { keyOf } from '../held/live.ts';
import { outline, plainRoute, served } from '../made.ts';
import { HttpRefusal } from '../problems.ts';
import { route } from '../route.ts';
import { bare, execId, inside, noAnswer, pageOf, pageQuery, queryCount, sandboxName } from '../schemas/common.ts';
import { execEvent } from '../schemas/events.ts';
import { anyExecBody, codeBody, execBody, execView, runResult } from '../schemas/execs.ts';
import { recordOf, streamOf } from '../stream/exec.ts';
import { type Place, twins } from '../twin.ts';
import { runCommand, runProgram } from './run.ts';
import { needsAdmin } from './sandboxes.ts';
import type { Call } from '../types.ts';
import { given } from '../../lib/given.ts';

const startExec = route({
  ...inside,
  method: 'POST',
  path: '/v1/sandboxes/{id}/execs',
  scope: 'run',
  keyed: true,
  skills: true,
  about:
    'Runs a command. Streams its events; with Accept: application/json, answers when it has ended, and a client that leaves before cancels it.',
  body: execBody,
  answer: runResult,
  events: execEvent,
  run: async (call) => {
    const { stdin, input, waitForApproval, collect, ...request } = call.body;
    const wanted = { ...request, ...call.skills, taskId: call.params.id, existing: true };
    return await runCommand(call, { wanted, stdin, input, waitForApproval, collect });
  },
});

const runCode = route({
  ...inside,
  method: 'POST',
  path: '/v1/sandboxes/{id}/code',
  scope: 'run',
  keyed: true,
  skills: true,
  about: 'Runs a program from a fresh directory that is removed afterwards. Answers as execs do.',
  body: codeBody,
  answer: runResult,
  events: execEvent,
  run: async (call) => {
    const { waitForApproval, collect, language, text, ...request } = call.body;
    const wanted = { ...request, ...call.skills, code: { language, text }, taskId: call.params.id, existing: true };
    return await runProgram(call, { wanted, waitForApproval, collect });
  },
});

const startAnyExec = route({
  ...bare,
  ...outline(execs.start),
  keyed: true,
  skills: true,
  body: anyExecBody,
  answer: runResult,
  events: execEvent,
  run: async (call) => {
    const { stdin, input, waitForApproval, collect, command, code, cwd, ...request } = call.body;
    needsAdmin(call, request.allowDegraded, 'allowDegraded');
    const { tty, ...rest } = request;
    const place = given({ cwd });
    if (command !== undefined)
      return await runCommand(call, {
        stdin,
        input,
        waitForApproval,
        collect,
        wanted: { ...request, ...call.skills, ...place, command },
      });
    if (code === undefined || (stdin ?? input ?? tty) !== undefined)
      throw new CaissonError('invalid_argument', 'a program has its text as stdin, and no terminal');
    return await runProgram(call, { waitForApproval, collect, wanted: { ...rest, ...call.skills, ...place, code } });
  },
});

const byId = { ...bare, params: z.strictObject({ execId }) } as const;
const followQuery = z.strictObject({ follow: z.enum(['true', 'false']).exactOptional() });
const recordQuery = followQuery.extend({
  tailBytes: queryCount
    .exactOptional()
    .describe('Of each stream only so many bytes before what comes; a gap says how many are left out.'),
});

const getAnyExec = route({
  ...byId,
  ...outline(execs.get),
  query: recordQuery,
  answer: execView,
  events: execEvent,
  run: async (call) => {
    const { params, form, query, api } = call;
    if (form === 'json') return await api.execs.get(params.execId);
    await checkRecord(call, params.execId, async () => await known(call, params.execId));
    const { follow, ...tail } = query;
    const how = { ...tail, follow: follow !== 'false' };
    return streamOf(call, (signal) => recordOf(call, params.execId, { ...how, signal }));
  },
});

async function known({ api, options }: Call, id: string): Promise<boolean> {
  return await api.processes.get(id, options).then(
    () => true,
    () => false,
  );
}

const cancelAnyExec = route({
  ...byId,
  ...outline(execs.cancel),
  answer: noAnswer,
  run: async ({ api, params, options, service, token }) => {
    service.starts.takeBack(keyOf(token.id, params.execId));
    await api.execs.cancel(params.execId, options);
    return undefined;
  },
});

const taskLogs = route({
  ...inside,
  method: 'GET',
  path: '/v1/sandboxes/{id}/logs',
  scope: 'read',
  about: 'Streams the events of all execs of a task, oldest first, one exec after the other.',
  query: followQuery,
  answer: z.undefined(),
  events: execEvent,
  run: async (call) => {
    const { api, params, query, options } = call;
    const { items } = await api.execs.list({ task: params.id, limit: 1 }, options);
    if (items.length === 0) await api.sandboxes.get(params.id, options);
    const follow = query.follow === 'true';
    return streamOf(call, (signal) => recordOf(call, params.id, { follow, signal }));
  },
});

/** Throws `not_found` also for an exec of another sandbox. */
export async function execIn({ api }: Pick<Call, 'api'>, { id, of }: Place) {
  const found = await api.execs.get(of);
  if (found.where.taskId !== id && found.where.sandboxId !== id)
    throw new CaissonError('not_found', `there is no exec ${of} in ${id}`);
  return found;
}

/** Before the first byte: a detached process has its record in its sandbox. What a reader has seen and is gone, is gone. */
async function checkRecord(
  { api, after }: Pick<Call, 'api' | 'after'>,
  id: string,
  isProcess: () => Promise<boolean>,
  check: () => Promise<unknown> = async () => await api.execs.get(id),
): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!isCode(error, 'not_found')) throw error;
    if (await isProcess()) return;
    if (after === 0) throw error;
    throw new HttpRefusal(
      410,
      new CaissonError('not_found', `the record of ${id} is gone`, { details: { left: null } }),
    );
  }
}

async function isProcess({ api, options }: Call, { id, of }: Place): Promise<boolean> {
  const found = await api.processes.list({ task: id }, options);
  return found.some((each) => each.id === of);
}

const checkShown = async (call: Call, place: Place): Promise<unknown> =>
  call.form === 'json'
    ? await execIn(call, place)
    : await checkRecord(
        call,
        place.of,
        () => isProcess(call, place),
        () => execIn(call, place),
      );

export const [getExec, getById] = twins(getAnyExec, {
  name: 'execId',
  about: 'Streams the events of an exec from `after` on; with Accept: application/json, shows its state.',
  check: checkShown,
});

const listed = { query: z.strictObject({ ...pageQuery, task: sandboxName.exactOptional() }), answer: pageOf(execView) };
const listExecsOfSandbox = plainRoute(
  'execs.list',
  { ...execs.list, path: '/v1/sandboxes/{id}/execs', about: 'Lists execs of one sandbox, newest first.' },
  { ...listed, query: z.strictObject(pageQuery) },
);

export const execRoutes = served('execs', execs, {
  start: [startExec, runCode, startAnyExec],
  run: [startExec, runCode, startAnyExec],
  list: [plainRoute('execs.list', execs.list, listed), listExecsOfSandbox],
  get: [getExec, getById],
  cancel: twins(cancelAnyExec, { name: 'execId', check: execIn }),
  logs: [getExec, getById, taskLogs],
});
