import type { AnsweredAll, ApprovalsApi, ApprovalView, GrantView } from '../../service/api.ts';
import { segment } from '../wire/path.ts';
import { listed, shaped, type Shape } from '../wire/shape.ts';
import type { Wire } from '../wire/wire.ts';

const path = '/v1/approvals';
const shape: Shape<ApprovalView> = { id: 'text', taskId: 'text', state: 'text', display: 'text', choices: 'list' };

/** Who answers is who has the token. */
export function approvalsOf(wire: Wire): ApprovalsApi {
  return {
    list: async ({ signal } = {}) => listed<ApprovalView>(await wire.json({ method: 'GET', path, signal }), shape),
    get: async (id, { signal } = {}) =>
      shaped<ApprovalView>(await wire.json({ method: 'GET', path: `${path}/${segment(id)}`, signal }), shape),
    answer: async (id, choice, _by, { signal } = {}) => {
      await wire.json({ method: 'POST', path: `${path}/${segment(id)}`, body: { choice }, signal });
    },
    answerAll: async (answer, _by, { signal } = {}) =>
      shaped<AnsweredAll>(await wire.json({ method: 'POST', path, body: answer, signal }), {
        answered: 'list',
        left: 'list',
      }),
    grants: async ({ signal } = {}) =>
      listed<GrantView>(await wire.json({ method: 'GET', path: '/v1/grants', signal }), { id: 'text', taskId: 'text' }),
    revoke: async (id, _by, { signal } = {}) => {
      await wire.json({ method: 'DELETE', path: `/v1/grants/${segment(id)}`, signal });
    },
    skip: async (taskId, on, { signal } = {}) => {
      const body = { skip: on };
      await wire.json({
        method: 'PUT',
        path: `/v1/sandboxes/${segment(taskId)}/questions`,
        body,
        repeatable: true,
        signal,
      });
    },
  };
}
