import { createReadStream } from 'node:fs';
import { CaissonError } from '../../errors.ts';
import { route } from '../route.ts';
import { bare, execId, inside, inSandbox, listOf, noAnswer } from '../schemas/common.ts';
import { detached, killed, listedProcess, process, processBody, signalQuery, taskProcess } from '../schemas/execs.ts';
import { collecting } from './run.ts';
import type { Call } from '../types.ts';

const ofProcess = inSandbox.extend({ processId: execId });

export const startProcess = route({
  ...inside,
  method: 'POST',
  path: '/v1/sandboxes/{id}/processes',
  scope: 'run',
  keyed: true,
  skills: true,
  about: 'Starts a command that outlives its request and the service.',
  body: processBody,
  status: 201,
  answer: detached,
  run: async (call) => {
    const { waitForApproval: _waits, ...request } = call.body;
    const wanted = { ...request, ...call.skills, taskId: call.params.id, existing: true };
    return await call.api.processes.start(wanted, collecting(call, call.body));
  },
});

export const listProcesses = route({
  ...bare,
  method: 'GET',
  path: '/v1/processes',
  brief: true,
  scope: 'read',
  about: 'Lists detached processes of all sandboxes that run.',
  answer: listOf(listedProcess),
  run: async ({ api, options }) => ({ items: await api.processes.list({}, options) }),
});

export const listProcessesOfSandbox = route({
  ...inside,
  method: 'GET',
  path: '/v1/sandboxes/{id}/processes',
  brief: true,
  scope: 'read',
  about: 'Lists detached processes of one sandbox.',
  answer: listOf(listedProcess),
  run: async ({ api, params, options }) => ({ items: await api.processes.list({ task: params.id }, options) }),
});

export const getProcess = route({
  ...inside,
  method: 'GET',
  path: '/v1/sandboxes/{id}/processes/{processId}',
  scope: 'read',
  about: 'Tells how a detached process is, and whether its input is open.',
  params: ofProcess,
  answer: taskProcess,
  run: async (call) => {
    await checkProcess(call, call.params);
    return await call.api.processes.get(call.params.processId, call.options);
  },
});

export const sendInput = route({
  ...inside,
  method: 'PUT',
  path: '/v1/sandboxes/{id}/processes/{processId}/input',
  scope: 'run',
  about: 'Passes bytes on to a detached process that was started with stdin, and then end of file.',
  params: ofProcess,
  takes: 'bytes',
  answer: noAnswer,
  run: async (call) => {
    await checkProcess(call, call.params);
    const { path } = await call.upload();
    await call.api.processes.input(call.params.processId, createReadStream(path), call.options);
    return undefined;
  },
});

export const waitForProcess = route({
  ...inside,
  method: 'GET',
  path: '/v1/sandboxes/{id}/processes/{processId}/wait',
  scope: 'read',
  about: 'Answers when a detached process has ended.',
  params: ofProcess,
  answer: process,
  run: async (call) => {
    await checkProcess(call, call.params);
    return await call.api.processes.wait(call.params.processId, call.options);
  },
});

export const killProcess = route({
  ...inside,
  method: 'DELETE',
  path: '/v1/sandboxes/{id}/processes/{processId}',
  brief: true,
  scope: 'run',
  about: 'Ends a detached process with all that it started; with a signal other than KILL, only sends that.',
  params: ofProcess,
  query: signalQuery,
  answer: killed,
  run: async (call) => {
    await checkProcess(call, call.params);
    return await call.api.processes.kill(call.params.processId, call.query.signal, call.options);
  },
});

/** Throws `not_found` also for a process of another sandbox. */
async function checkProcess(
  { api, options }: Pick<Call, 'api' | 'options'>,
  { id, processId }: { readonly id: string; readonly processId: string },
): Promise<void> {
  const found = await api.processes.list({ task: id }, options);
  if (!found.some((each) => each.id === processId))
    throw new CaissonError('not_found', `there is no process ${processId} in ${id}`);
}
