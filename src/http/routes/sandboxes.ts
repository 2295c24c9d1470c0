import { z } from 'zod';
import { CaissonError } from '../../errors.ts';
import { limitsText } from '../../service/api.ts';
import { Page } from '../reply.ts';
import { route } from '../route.ts';
import { skipBody } from '../schemas/approvals.ts';
import { bare, inside, noAnswer, pageOf, pageQuery, queryFlag, sandboxName } from '../schemas/common.ts';
import {
  acquired,
  changeBody,
  gcItem,
  inspected,
  limitsPage,
  labelQuery,
  sandbox,
  sandboxBody,
  states,
  stats,
} from '../schemas/sandboxes.ts';
import type { Call } from '../types.ts';

/** A field that a route takes from some tokens only. */
export function needsAdmin({ token }: Pick<Call, 'token'>, isAsked: boolean | undefined, field: string): void {
  if (isAsked === true && !token.scopes.includes('admin'))
    throw new CaissonError('permission_denied', `${field} needs a token with the scope admin`);
}

export const createSandbox = route({
  ...bare,
  method: 'POST',
  path: '/v1/sandboxes',
  scope: 'run',
  about: 'Gets the sandbox of a task, or makes it.',
  body: sandboxBody,
  answer: acquired,
  run: async ({ api, token, body, options }) => {
    needsAdmin({ token }, body.allowDegraded, 'allowDegraded');
    return await api.sandboxes.create(body, options);
  },
});

export const listSandboxes = route({
  ...bare,
  method: 'GET',
  path: '/v1/sandboxes',
  brief: true,
  scope: 'read',
  about: 'Lists sandboxes as they are recorded, oldest first.',
  query: z.strictObject({
    ...pageQuery,
    task: sandboxName.exactOptional(),
    backend: z.string().max(32).exactOptional(),
    state: states.exactOptional(),
    label: labelQuery.exactOptional(),
  }),
  answer: pageOf(sandbox),
  run: ({ api, query: { label, ...filter } }) =>
    api.sandboxes.list({ ...filter, ...(label === undefined ? {} : { labels: Object.fromEntries(label) }) }),
});

export const getSandbox = route({
  ...inside,
  method: 'GET',
  path: '/v1/sandboxes/{id}',
  brief: true,
  scope: 'read',
  about: 'Shows what is recorded of a sandbox, and what its place says of it now.',
  answer: inspected,
  run: ({ api, params, options }) => api.sandboxes.get(params.id, options),
});

export const updateSandbox = route({
  ...inside,
  method: 'PATCH',
  path: '/v1/sandboxes/{id}',
  scope: 'run',
  about: 'Changes labels and times of a sandbox. What is absent stays as it is.',
  body: changeBody,
  answer: sandbox,
  run: ({ api, params, body, options }) => api.sandboxes.update(params.id, body, options),
});

export const startSandbox = route({
  ...inside,
  method: 'POST',
  path: '/v1/sandboxes/{id}/start',
  scope: 'run',
  about: 'Starts a sandbox that is stopped.',
  answer: acquired,
  run: ({ api, params, options }) => api.sandboxes.start(params.id, options),
});

export const stopSandbox = route({
  ...inside,
  method: 'POST',
  path: '/v1/sandboxes/{id}/stop',
  brief: true,
  scope: 'run',
  about: 'Stops a sandbox and keeps its files.',
  answer: noAnswer,
  run: async ({ api, params, options }) => {
    await api.sandboxes.stop(params.id, options);
    return undefined;
  },
});

export const removeSandbox = route({
  ...inside,
  method: 'DELETE',
  path: '/v1/sandboxes/{id}',
  brief: true,
  scope: 'run',
  about: 'Removes a sandbox and its files; with keepFiles, the files of the task stay.',
  query: z.strictObject({ keepFiles: queryFlag.exactOptional() }),
  answer: noAnswer,
  run: async ({ api, params, query, options }) => {
    await api.sandboxes.remove(params.id, query, options);
    return undefined;
  },
});

export const sandboxStats = route({
  ...inside,
  method: 'GET',
  path: '/v1/sandboxes/{id}/stats',
  scope: 'read',
  about: 'Shows what a sandbox uses now.',
  answer: stats,
  run: ({ api, params, options }) => api.sandboxes.stats(params.id, options),
});

export const sandboxLimits = route({
  ...inside,
  method: 'GET',
  path: '/v1/sandboxes/{id}/limits',
  scope: 'read',
  about: 'Shows what holds in a sandbox and what is left when it ends; with Accept: text/markdown, for a model.',
  gives: 'text',
  answer: limitsPage,
  run: async ({ api, params, options, form }) => {
    const limits = await api.sandboxes.limits(params.id, options);
    if (form === 'json') return limits;
    return new Page(limitsText(limits), form === 'plain' ? 'text/plain' : 'text/markdown');
  },
});

export const skipQuestions = route({
  ...inside,
  method: 'PUT',
  path: '/v1/sandboxes/{id}/questions',
  scope: 'admin',
  about: 'Skips questions about dangerous commands of a task from now on, or no longer.',
  body: skipBody,
  answer: noAnswer,
  run: async ({ api, params, body, options }) => {
    const { taskId } = await api.sandboxes.get(params.id, options);
    await api.approvals.skip(taskId, body.skip, options);
    return undefined;
  },
});

export const collectGarbage = route({
  ...bare,
  method: 'POST',
  path: '/v1/gc',
  scope: 'admin',
  about: 'Removes what no sandbox owns any more, or lists it.',
  body: z.strictObject({ dryRun: z.boolean() }),
  answer: z.object({ items: z.array(gcItem).readonly() }),
  run: async ({ api, body, options }) => ({ items: await api.sandboxes.gc(body, options) }),
});
