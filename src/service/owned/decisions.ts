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
  const grants: ApprovalsApi['grants'] = async () =>
    (await approvals.grants()).filter((each) => scope.has(each)).map((each) => scope.ofTask(each));
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
    grants: () => asked(grants),
    revoke: (id, by) =>
      asked(async () => {
        if (!(await grants()).some((each) => each.id === id)) throw noGrant(id);
        await approvals.revoke(id, by);
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
