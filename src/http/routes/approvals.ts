import { z } from 'zod';
import { route } from '../route.ts';
import { answerAllBody, answerBody, answeredAll, approval, grant } from '../schemas/approvals.ts';
import { approvalId, bare, listOf, noAnswer } from '../schemas/common.ts';

const ofApproval = { ...bare, params: z.strictObject({ approvalId }) } as const;

export const listApprovals = route({
  ...bare,
  method: 'GET',
  path: '/v1/approvals',
  scope: 'approve',
  about: 'Lists commands that wait for an answer.',
  answer: listOf(approval),
  run: async ({ api }) => ({ items: await api.approvals.list() }),
});

export const getApproval = route({
  ...ofApproval,
  method: 'GET',
  path: '/v1/approvals/{approvalId}',
  scope: 'approve',
  // Who asks may look whether it is answered.
  orScope: 'read',
  about: 'Shows a question, also after its answer. The scope read is enough.',
  answer: approval,
  run: ({ api, params }) => api.approvals.get(params.approvalId),
});

export const answerApproval = route({
  ...ofApproval,
  method: 'POST',
  path: '/v1/approvals/{approvalId}',
  scope: 'approve',
  about: 'Answers a question. The token whose command it is may not.',
  body: answerBody,
  answer: noAnswer,
  run: async ({ api, params, body, by }) => {
    await api.approvals.answer(params.approvalId, body.choice, by);
    return undefined;
  },
});

export const answerAllApprovals = route({
  ...bare,
  method: 'POST',
  path: '/v1/approvals',
  scope: 'approve',
  about: 'Answers all questions of a task that wait now. Those of the token that answers are left.',
  body: answerAllBody,
  answer: answeredAll,
  run: ({ api, body, by, options }) => api.approvals.answerAll(body, by, options),
});

export const listGrants = route({
  ...bare,
  method: 'GET',
  path: '/v1/grants',
  scope: 'approve',
  about: 'Lists answers "session" that still hold.',
  answer: listOf(grant),
  run: async ({ api }) => ({ items: await api.approvals.grants() }),
});

export const revokeGrant = route({
  ...bare,
  method: 'DELETE',
  path: '/v1/grants/{grantId}',
  scope: 'approve',
  about: 'Takes an answer "session" back.',
  params: z.strictObject({ grantId: z.string().regex(/^grt_[0-9a-f]{24}$/) }),
  answer: noAnswer,
  run: async ({ api, params, by }) => {
    await api.approvals.revoke(params.grantId, by);
    return undefined;
  },
});
