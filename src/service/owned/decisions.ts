/** Questions, answers and rules of one owner. */
import type { ApprovalsApi, PolicyApi } from '../api.ts';
import { noQuestion } from '../../guard/approval-queue.ts';
import { noGrant } from '../admin/approvals.ts';
import type { Mine } from './place.ts';
import { refuse, refused } from './refused.ts';

export function decisionsOf({ api: { approvals }, scope, asked }: Mine): ApprovalsApi {
  const get: ApprovalsApi['get'] = async (id, options) => {
    const found = await approvals.get(id, options);
    if (!scope.has(found)) throw noQuestion(id);
    return scope.ofTask(found);
  };
  const grants: ApprovalsApi['grants'] = async (options) =>
    (await approvals.grants(options)).filter((each) => scope.has(each)).map((each) => scope.ofTask(each));
  return {
    list: (options) =>
      asked(async () => {
        const waiting = await approvals.list(options);
        return waiting.filter((each) => scope.has(each)).map((each) => scope.ofTask(each));
      }),
    get: (id, options) => asked(async () => await get(id, options)),
    answer: (id, choice, by, options) =>
      asked(async () => {
        await get(id, options);
        await approvals.answer(id, choice, by, options);
      }),
    answerAll: ({ taskId, ...answer }, by, options) =>
      asked(async () => await approvals.answerAll({ ...answer, taskId: scope.taskKey(taskId) }, by, options)),
    grants: (options) => asked(async () => await grants(options)),
    revoke: (id, by, options) =>
      asked(async () => {
        if (!(await grants(options)).some((each) => each.id === id)) throw noGrant(id);
        await approvals.revoke(id, by, options);
      }),
    skip: refuse,
  };
}

export function policyOf({ api: { policy }, scope: { owner }, asked }: Mine): PolicyApi {
  return {
    checker: (query) => asked(async () => await policy.checker({ ...query, owner })),
    examples: () => policy.examples(),
    ignored: refused,
    hooks: { list: refused, accept: refused },
  };
}
