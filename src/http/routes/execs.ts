import { z } from 'zod';
import { CaissonError, isCode } from '../../errors.ts';
import type { KeptStream, RunResult } from '../../service/api.ts';
import { HttpRefusal } from '../problems.ts';
import { type Call, route } from '../route.ts';
import { bare, execId, inside, inSandbox, noAnswer, pageOf, pageQuery, sandboxName } from '../schemas/common.ts';
import { execEvent } from '../schemas/events.ts';
import { codeBody, execBody, execView, runResult } from '../schemas/execs.ts';
import { checkWaiting, recordOf, startStreamed, streamOf } from '../stream/exec.ts';
import { needsAdmin } from './sandboxes.ts';

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
    const { api, params, form, body, skills } = call;
    const { waitForApproval, input, stdin, ...request } = body;
    needsAdmin(call, body.rawOutput, 'rawOutput');
    const wanted = { ...request, ...skills, taskId: params.id, existing: true };
    if (form === 'json') {
      if (stdin === true)
        throw new CaissonError('invalid_argument', 'stdin comes through a socket, which a JSON answer has not');
      const options = collecting(call, body);
      return resultOf(await api.execs.run({ ...wanted, ...(input === undefined ? {} : { input }) }, options));
    }
    return await startStreamed({
      ...{ call, waitForApproval, execId: request.execId },
      start: (options) => api.execs.start({ ...wanted, stdin: stdin === true || input !== undefined }, options),
      started: (running) => {
        if (stdin !== true) running.stdin?.on('error', () => undefined).end(input);
      },
    });
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
    const { api, params, form, body, skills } = call;
    const { waitForApproval, language, text, ...request } = body;
    const wanted = { ...request, ...skills, code: { language, text }, taskId: params.id, existing: true };
    if (form === 'json') return resultOf(await api.execs.run(wanted, collecting(call, body)));
    const start: Parameters<typeof startStreamed>[0]['start'] = (options) => api.execs.start(wanted, options);
    return await startStreamed({ call, waitForApproval, execId: request.execId, start });
  },
});

type Asking = Parameters<typeof checkWaiting>[0];

/** Of an answer that comes at the end: who leaves cancels the command. */
export function collecting({ options }: Call, { waitForApproval, execId: id }: Partial<Asking>): Call['options'] {
  checkWaiting({ waitForApproval, execId: id });
  return { ...options, question: { waits: waitForApproval ?? true } };
}

// oxlint-disable-next-line no-control-regex -- what a terminal would act on
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

export function resultOf<Result extends RunResult>({ stdout, stderr, ...rest }: Result) {
  return { ...rest, stdout: marked(stdout), stderr: marked(stderr) };
}

const marked = (stream: KeptStream) => ({ ...stream, containsControl: control.test(stream.text) });

const ofExec = inSandbox.extend({ execId });

export const listExecs = route({
  ...bare,
  method: 'GET',
  path: '/v1/execs',
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
    await checkRecord(call, params);
    const follow = query.follow !== 'false';
    return streamOf(call, (signal) => recordOf(call, params.execId, { follow, signal }));
  },
});

export const cancelExec = route({
  ...inside,
  method: 'DELETE',
  path: '/v1/sandboxes/{id}/execs/{execId}',
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
async function checkRecord(call: Call, place: Place): Promise<void> {
  try {
    await execIn(call, place);
  } catch (error) {
    if (!isCode(error, 'not_found')) throw error;
    if (await isProcess(call, place)) return;
    if (call.after === 0) throw error;
    const gone = new CaissonError('not_found', `the record of ${place.execId} is gone`, { details: { left: null } });
    throw new HttpRefusal(410, gone);
  }
}

async function isProcess({ api, options }: Call, { id, execId: exec }: Place): Promise<boolean> {
  const found = await api.processes.list({ task: id }, options);
  return found.some((each) => each.id === exec);
}
