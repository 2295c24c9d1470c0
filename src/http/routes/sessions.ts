import { z } from 'zod';
import type { Options } from '../../service/api.ts';
import { sessions } from '../../service/verbs/sessions.ts';
import { outline, served } from '../made.ts';
import { route } from '../route.ts';
import { inside, inSandbox, listOf, sessionName } from '../schemas/common.ts';
import { execEvent } from '../schemas/events.ts';
import { session, sessionBody, sessionResult } from '../schemas/execs.ts';
import { keyOf } from '../held/live.ts';
import { runCollected } from '../stream/collected.ts';
import { startStreamed } from '../stream/exec.ts';
import { resultOf } from '../stream/result.ts';
import { collecting } from './run.ts';

const ofSession = inSandbox.extend({ name: sessionName });

const runInSession = route({
  ...inside,
  ...outline(sessions.exec),
  keyed: true,
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

export const sessionRoutes = served('sessions', sessions, {
  open: { body: z.strictObject({ name: sessionName }), answer: session },
  exec: [runInSession],
  run: [runInSession],
  close: { params: ofSession },
  list: { answer: listOf(session) },
});
