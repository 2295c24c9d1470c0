import { z } from 'zod';
import { CaissonError } from '../../errors.ts';
import { limitsText } from '../../service/api.ts';
import { sandboxes } from '../../service/verbs/sandboxes.ts';
import { outline, served } from '../made.ts';
import { Page } from '../reply.ts';
import { route } from '../route.ts';
import { bare, inside, pageOf, pageQuery, queryFlag, sandboxName } from '../schemas/common.ts';
import { acquired, limitsPage, labelQuery, plain, sandbox, sandboxBody, states } from '../schemas/sandboxes.ts';
import type { Call } from '../types.ts';

/** A field that a route takes from some tokens only. */
export function needsAdmin({ token }: Pick<Call, 'token'>, isAsked: boolean | undefined, field: string): void {
  if (isAsked === true && !token.scopes.includes('admin'))
    throw new CaissonError('permission_denied', `${field} needs a token with the scope admin`);
}

export const createSandbox = route({
  ...bare,
  ...outline(sandboxes.create),
  body: sandboxBody,
  answer: acquired,
  run: async ({ api, token, body, options }) => {
    needsAdmin({ token }, body.allowDegraded, 'allowDegraded');
    return await api.sandboxes.create(body, options);
  },
});

export const listSandboxes = route({
  ...bare,
  ...outline(sandboxes.list),
  query: z.strictObject({
    ...pageQuery,
    task: sandboxName.exactOptional(),
    backend: z.string().max(32).exactOptional(),
    state: states.exactOptional(),
    label: labelQuery.exactOptional(),
    pool: queryFlag.exactOptional(),
  }),
  answer: pageOf(sandbox),
  run: ({ api, query: { label, ...filter } }) =>
    api.sandboxes.list({ ...filter, ...(label === undefined ? {} : { labels: Object.fromEntries(label) }) }),
});

export const sandboxLimits = route({
  ...inside,
  ...outline(sandboxes.limits),
  gives: 'text',
  answer: limitsPage,
  run: async ({ api, params, options, form }) => {
    const limits = await api.sandboxes.limits(params.id, options);
    if (form === 'json') return limits;
    return new Page(limitsText(limits), form === 'plain' ? 'text/plain' : 'text/markdown');
  },
});

export const sandboxRoutes = served('sandboxes', sandboxes, {
  ...plain,
  create: [createSandbox],
  list: [listSandboxes],
  limits: [sandboxLimits],
});
