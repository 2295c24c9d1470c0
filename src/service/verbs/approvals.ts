/** `caisson.approvals`. */
import type { ApprovalsApi } from '../api.ts';
import { admin, approve, type Rows } from './row.ts';

const question = { id: 'text', taskId: 'text', state: 'text', display: 'text', choices: 'list' } as const;

export const approvals = {
  list: { ...approve('GET', '/v1/approvals', 'Lists commands that wait for an answer.'), gives: [question] },
  get: {
    ...approve(
      'GET',
      '/v1/approvals/{approvalId}',
      'Shows a question, also after its answer. The scope read is enough.',
    ),
    takes: ['approvalId'],
    // Who asks may look whether it is answered.
    orScope: 'read',
    gives: question,
  },
  answer: {
    ...approve('POST', '/v1/approvals/{approvalId}', 'Answers a question. The token whose command it is may not.'),
    takes: ['approvalId', 'choice', 'by'],
    gives: null,
  },
  answerAll: {
    ...approve(
      'POST',
      '/v1/approvals',
      'Answers all questions of a task that wait now. Those of the token that answers are left.',
    ),
    takes: ['...', 'by'],
    keys: { task: true, taskId: true, choice: true },
    gives: { answered: 'list', left: 'list' },
  },
  grants: {
    ...approve('GET', '/v1/grants', 'Lists answers "session" that still hold.'),
    gives: [{ id: 'text', taskId: 'text' }],
  },
  revoke: {
    ...approve('DELETE', '/v1/grants/{grantId}', 'Takes an answer "session" back.'),
    takes: ['grantId', 'by'],
    gives: null,
  },
  suggest: {
    ...approve(
      'GET',
      '/v1/suggestions',
      'Proposes rules for what was answered once or session again and again within a week; never for what is dangerous.',
    ),
    gives: [{ owner: 'text', rule: 'text', times: 'number' }],
  },
  skip: {
    ...admin(
      'PUT',
      '/v1/sandboxes/{id}/questions',
      'Skips questions about dangerous commands of a task from now on, or no longer.',
    ),
    takes: ['task', 'skip'],
    repeatable: true,
    gives: null,
  },
} as const satisfies Rows<ApprovalsApi>;
