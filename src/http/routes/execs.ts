import { z } from 'zod';
import { CaissonError, isCode } from '../../errors.ts';
import { HttpRefusal } from '../problems.ts';
import { route } from '../route.ts';
import { bare, execId, inside, inSandbox, noAnswer, pageOf, pageQuery, sandboxName } from '../schemas/common.ts';
import { execEvent } from '../schemas/events.ts';
import { codeBody, execBody, execView, runResult } from '../schemas/execs.ts';
import { recordOf, streamOf } from '../stream/exec.ts';
import { runCommand, runProgram } from './run.ts';
import type { Call } from '../types.ts';

export const startExec = route({
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

export const runCode = route({
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

const ofExec = inSandbox.extend({ execId });

export const listExecs = route({
  ...bare,
  method: 'GET',
  path: '/v1/execs',
  brief: true,
  scope: 'read',
  about: 'Lists execs on record, newest first.',
  query: z.strictObject({ ...pageQuery, task: sandboxName.exactOptional() }),
  answer: pageOf(execView),
  run: ({ api, query }) => api.execs.list(query),
});

export const listExecsOfSandbox = route({
  ...inside,
  method: 'GET',
  path: '/v1/sandboxes/{id}/execs',
  brief: true,
  scope: 'read',
  about: 'Lists execs of one sandbox, newest first.',
  query: z.strictObject(pageQuery),
  answer: pageOf(execView),
  run: ({ api, query, params }) => api.execs.list({ ...query, task: params.id }),
});

export const getExec = route({
  ...inside,
  method: 'GET',
  path: '/v1/sandboxes/{id}/execs/{execId}',
  scope: 'read',
  about: 'Streams the events of an exec from `after` on; with Accept: application/json, shows its state.',
  params: ofExec,
  query: z.strictObject({ follow: z.enum(['true', 'false']).exactOptional() }),
  answer: execView,
  events: execEvent,
  run: async (call) => {
    const { params, form, query } = call;
    if (form === 'json') return await execIn(call, params);
    const { execId: exec } = params;
    await checkRecord(
      call,
      exec,
      () => isProcess(call, params),
      () => execIn(call, params),
    );
    const follow = query.follow !== 'false';
    return streamOf(call, (signal) => recordOf(call, params.execId, { follow, signal }));
  },
});

export const cancelExec = route({
  ...inside,
  method: 'DELETE',
  path: '/v1/sandboxes/{id}/execs/{execId}',
  brief: true,
  scope: 'run',
  about: 'Kills an exec with all that it started. Does nothing to one that has ended.',
  params: ofExec,
  answer: noAnswer,
  run: async (call) => {
    await execIn(call, call.params);
    await call.api.execs.cancel(call.params.execId, call.options);
    return undefined;
  },
});

interface Place {
  readonly id: string;
  readonly execId: string;
}

/** Throws `not_found` also for an exec of another sandbox. */
export async function execIn({ api }: Pick<Call, 'api'>, { id, execId: exec }: Place) {
  const found = await api.execs.get(exec);
  if (found.where.taskId !== id && found.where.sandboxId !== id)
    throw new CaissonError('not_found', `there is no exec ${exec} in ${id}`);
  return found;
}

/** Before the first byte: a detached process has its record in its sandbox. What a reader has seen and is gone, is gone. */
export async function checkRecord(
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

async function isProcess({ api, options }: Call, { id, execId: exec }: Place): Promise<boolean> {
  const found = await api.processes.list({ task: id }, options);
  return found.some((each) => each.id === exec);
}
