import { z } from 'zod';
import type { Options } from '../../service/api.ts';
import { route } from '../route.ts';
import { inside, inSandbox, listOf, noAnswer, sessionName } from '../schemas/common.ts';
import { execEvent } from '../schemas/events.ts';
import { session, sessionBody, sessionResult } from '../schemas/execs.ts';
import { keyOf } from '../held/live.ts';
import { runCollected } from '../stream/collected.ts';
import { startStreamed } from '../stream/exec.ts';
import { resultOf } from '../stream/result.ts';
import { collecting } from './run.ts';

const ofSession = inSandbox.extend({ name: sessionName });

export const openSession = route({
  ...inside,
  method: 'POST',
  path: '/v1/sandboxes/{id}/sessions',
  scope: 'run',
  about: 'Opens a shell that keeps its state from one text to the next.',
  body: z.strictObject({ name: sessionName }),
  answer: session,
  run: ({ api, params, body, options }) => api.sessions.open({ taskId: params.id, name: body.name }, options),
});

export const listSessions = route({
  ...inside,
  method: 'GET',
  path: '/v1/sandboxes/{id}/sessions',
  scope: 'read',
  about: 'Lists the sessions of a sandbox.',
  answer: listOf(session),
  run: async ({ api, params, options }) => ({ items: await api.sessions.list(params.id, options) }),
});

export const runInSession = route({
  ...inside,
  method: 'POST',
  path: '/v1/sandboxes/{id}/sessions/{name}/execs',
  scope: 'run',
  keyed: true,
  about: 'Runs a text in a session. Answers as execs do.',
  params: ofSession,
  body: sessionBody,
  answer: sessionResult,
  events: execEvent,
  run: async (call) => {
    const { api, params, form, body } = call;
    const { waitForApproval, collect, ...input } = body;
    const wanted = { ...input, taskId: params.id, name: params.name };
    if (form === 'json') return resultOf(await api.sessions.run(wanted, collecting(call, body)));
    if (collect === true) {
      const how = { call, waitForApproval, execId: input.execId };
      const key = keyOf(call.token.id, input.execId ?? '');
      const run = (options: Options) => () => api.sessions.run(wanted, options);
      return await runCollected({
        ...how,
        run: (options) => call.service.texts.run(key, JSON.stringify(wanted), run(options)),
      });
    }
    const start: Parameters<typeof startStreamed>[0]['start'] = (options) => api.sessions.exec(wanted, options);
    return await startStreamed({ call, waitForApproval, execId: input.execId, start });
  },
});

export const closeSession = route({
  ...inside,
  method: 'DELETE',
  path: '/v1/sandboxes/{id}/sessions/{name}',
  scope: 'run',
  about: 'Ends the shell of a session and forgets its state.',
  params: ofSession,
  answer: noAnswer,
  run: async ({ api, params, options }) => {
    await api.sessions.close({ taskId: params.id, name: params.name }, options);
    return undefined;
  },
});
