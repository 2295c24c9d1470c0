import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { CaissonError } from '../../errors.ts';
import { processes } from '../../service/verbs/processes.ts';
import { outline, plainRoute, served } from '../made.ts';
import { route } from '../route.ts';
import { bare, execId, inside, listOf, noAnswer } from '../schemas/common.ts';
import {
  anyProcessBody,
  detached,
  killed,
  listedProcess,
  process,
  processBody,
  signalQuery,
  taskProcess,
} from '../schemas/execs.ts';
import { type Place, type Twin, twins } from '../twin.ts';
import { collecting } from './run.ts';
import { needsAdmin } from './sandboxes.ts';
import type { Call } from '../types.ts';

const byId = { params: z.strictObject({ processId: execId }) } as const;

const startProcess = route({
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

const startAnyProcess = route({
  ...bare,
  ...outline(processes.start),
  keyed: true,
  skills: true,
  body: anyProcessBody,
  status: 201,
  answer: detached,
  run: async (call) => {
    const { waitForApproval: _waits, ...request } = call.body;
    needsAdmin(call, request.allowDegraded, 'allowDegraded');
    return await call.api.processes.start({ ...request, ...call.skills }, collecting(call, call.body));
  },
});

const sendAnyInput = route({
  ...bare,
  ...byId,
  ...outline(processes.input),
  takes: 'bytes',
  answer: noAnswer,
  run: async ({ api, params, options, upload }) => {
    await api.processes.get(params.processId, options);
    const { path } = await upload();
    await api.processes.input(params.processId, createReadStream(path), options);
    return undefined;
  },
});

/** Throws `not_found` also for a process of another sandbox. */
async function checkProcess({ api, options }: Pick<Call, 'api' | 'options'>, { id, of }: Place): Promise<void> {
  const found = await api.processes.list({ task: id }, options);
  if (!found.some((each) => each.id === of)) throw new CaissonError('not_found', `there is no process ${of} in ${id}`);
}

const twin: Twin = { name: 'processId', check: checkProcess };
const listed = { answer: listOf(listedProcess) };
const listProcessesOfSandbox = plainRoute(
  'processes.list',
  { ...processes.list, path: '/v1/sandboxes/{id}/processes', about: 'Lists detached processes of one sandbox.' },
  listed,
);

export const processRoutes = served('processes', processes, {
  start: [startProcess, startAnyProcess],
  list: [plainRoute('processes.list', processes.list, listed), listProcessesOfSandbox],
  get: {
    ...byId,
    answer: taskProcess,
    twin: { ...twin, about: 'Tells how a detached process is, and whether its input is open.' },
  },
  input: twins(sendAnyInput, twin),
  wait: { ...byId, answer: process, twin },
  kill: { ...byId, query: signalQuery, answer: killed, twin },
});
