/** Execs and processes by their id alone, and those whose request names the sandbox, which is made where it is not there. */
import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { CaissonError } from '../../errors.ts';
import { route } from '../route.ts';
import { bare, execId, inside, noAnswer } from '../schemas/common.ts';
import { execEvent } from '../schemas/events.ts';
import {
  anyExecBody,
  anyProcessBody,
  detached,
  execView,
  killed,
  process,
  runResult,
  signalQuery,
  taskProcess,
} from '../schemas/execs.ts';
import { keyOf } from '../held/live.ts';
import { recordOf, streamOf } from '../stream/exec.ts';
import { checkRecord } from './execs.ts';
import { collecting, runCommand, runProgram } from './run.ts';
import { needsAdmin } from './sandboxes.ts';
import type { Call } from '../types.ts';

const byId = { ...bare, params: z.strictObject({ execId }) } as const;
const byProcess = { ...bare, params: z.strictObject({ processId: execId }) } as const;

export const startAnyExec = route({
  ...bare,
  method: 'POST',
  path: '/v1/execs',
  scope: 'run',
  keyed: true,
  skills: true,
  about:
    'Runs a command or a program in the sandbox of a task, which is made where it is not there. Answers as execs of a sandbox do.',
  body: anyExecBody,
  answer: runResult,
  events: execEvent,
  run: async (call) => {
    const { stdin, input, waitForApproval, collect, command, code, cwd, ...request } = call.body;
    needsAdmin(call, request.allowDegraded, 'allowDegraded');
    const { tty, ...rest } = request;
    const place = cwd === undefined ? {} : { cwd };
    if (command !== undefined)
      return await runCommand(call, {
        ...{ stdin, input, waitForApproval, collect },
        wanted: { ...request, ...call.skills, ...place, command },
      });
    if (code === undefined || (stdin ?? input ?? tty) !== undefined)
      throw new CaissonError('invalid_argument', 'a program has its text as stdin, and no terminal');
    return await runProgram(call, { waitForApproval, collect, wanted: { ...rest, ...call.skills, ...place, code } });
  },
});

export const getAnyExec = route({
  ...byId,
  method: 'GET',
  path: '/v1/execs/{execId}',
  scope: 'read',
  about: 'As the route of its sandbox does.',
  query: z.strictObject({ follow: z.enum(['true', 'false']).exactOptional() }),
  answer: execView,
  events: execEvent,
  run: async (call) => {
    const { params, form, query, api } = call;
    if (form === 'json') return await api.execs.get(params.execId);
    await checkRecord(call, params.execId, async () => await known(call, params.execId));
    const follow = query.follow !== 'false';
    return streamOf(call, (signal) => recordOf(call, params.execId, { follow, signal }));
  },
});

async function known({ api, options }: Call, id: string): Promise<boolean> {
  return await api.processes.get(id, options).then(
    () => true,
    () => false,
  );
}

export const cancelAnyExec = route({
  ...byId,
  method: 'DELETE',
  path: '/v1/execs/{execId}',
  brief: true,
  scope: 'run',
  about: 'Kills an exec with all that it started. Does nothing to one that has ended.',
  answer: noAnswer,
  run: async ({ api, params, options, service, token }) => {
    service.starts.takeBack(keyOf(token.id, params.execId));
    await api.execs.cancel(params.execId, options);
    return undefined;
  },
});

export const taskLogs = route({
  ...inside,
  method: 'GET',
  path: '/v1/sandboxes/{id}/logs',
  scope: 'read',
  about: 'Streams the events of all execs of a task, oldest first, one exec after the other.',
  query: z.strictObject({ follow: z.enum(['true', 'false']).exactOptional() }),
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

export const startAnyProcess = route({
  ...bare,
  method: 'POST',
  path: '/v1/processes',
  scope: 'run',
  keyed: true,
  skills: true,
  about:
    'Starts a command that outlives its request and the service, in the sandbox of a task, which is made where it is not there.',
  body: anyProcessBody,
  status: 201,
  answer: detached,
  run: async (call) => {
    const { waitForApproval: _waits, ...request } = call.body;
    needsAdmin(call, request.allowDegraded, 'allowDegraded');
    return await call.api.processes.start({ ...request, ...call.skills }, collecting(call, call.body));
  },
});

export const getAnyProcess = route({
  ...byProcess,
  method: 'GET',
  path: '/v1/processes/{processId}',
  scope: 'read',
  about: 'As the route of its sandbox does.',
  answer: taskProcess,
  run: ({ api, params, options }) => api.processes.get(params.processId, options),
});

export const sendAnyInput = route({
  ...byProcess,
  method: 'PUT',
  path: '/v1/processes/{processId}/input',
  scope: 'run',
  about: 'Passes bytes on to a detached process that was started with stdin, and then end of file.',
  takes: 'bytes',
  answer: noAnswer,
  run: async ({ api, params, options, upload }) => {
    await api.processes.get(params.processId, options);
    const { path } = await upload();
    await api.processes.input(params.processId, createReadStream(path), options);
    return undefined;
  },
});

export const waitForAnyProcess = route({
  ...byProcess,
  method: 'GET',
  path: '/v1/processes/{processId}/wait',
  scope: 'read',
  about: 'Answers when a detached process has ended.',
  answer: process,
  run: ({ api, params, options }) => api.processes.wait(params.processId, options),
});

export const killAnyProcess = route({
  ...byProcess,
  method: 'DELETE',
  path: '/v1/processes/{processId}',
  brief: true,
  scope: 'run',
  about: 'Ends a detached process with all that it started; with a signal other than KILL, only sends that.',
  query: signalQuery,
  answer: killed,
  run: ({ api, params, query, options }) => api.processes.kill(params.processId, query.signal, options),
});
