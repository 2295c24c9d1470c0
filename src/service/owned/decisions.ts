/** Questions, answers and rules of one owner. */
import type { AnswerAll, ApprovalsApi, PolicyApi } from '../api.ts';
import { CaissonError } from '../../errors.ts';
import { noQuestionError } from '../../guard/approval-queue.ts';
import { noGrantError } from '../admin/approvals.ts';
import { approvals as rows } from '../verbs/approvals.ts';
import { hooks as hookRows, policy as policyRows } from '../verbs/policy.ts';
import { made } from './made.ts';
import type { Mine } from './place.ts';

export function decisionsOf(mine: Mine): ApprovalsApi {
  const { scope, bound, asked } = mine;
  const { approvals } = mine.api;
  const get: ApprovalsApi['get'] = async (id, options) => {
    const found = await approvals.get(id, options);
    if (!scope.has(found) || !(await bound.sees(found))) throw noQuestionError(id);
    return scope.ofTask(found);
  };
  const seen = async <T extends { readonly taskId: string }>(all: readonly T[]): Promise<readonly T[]> => {
    const owned = all.filter((each) => scope.has(each));
    const within = await Promise.all(owned.map((each) => bound.sees(each)));
    return owned.filter((_, index) => within[index] === true).map((each) => scope.ofTask(each));
  };
  const grants: ApprovalsApi['grants'] = async (options) => await seen(await approvals.grants(options));
  return made(mine, approvals, {
    rows,
    byHand: {
      list: (options) => asked(async () => await seen(await approvals.list(options))),
      get: (id, options) => asked(async () => await get(id, options)),
      answer: (id, choice, by, options) =>
        asked(async () => {
          await get(id, options);
          if (bound.isBound && choice === 'always') throw boundTokenError();
          await approvals.answer(id, choice, by, options);
        }),
      answerAll: ({ taskId, ...answer }: AnswerAll, by, options) =>
        asked(async () => {
          const key = scope.taskKey(taskId);
          if (!(await bound.sees({ taskId: key }))) return { answered: [], left: [] };
          return await approvals.answerAll({ ...answer, taskId: key }, by, options);
        }),
      grants: (options) => asked(async () => await grants(options)),
      // A rule would hold in all tasks of the owner.
      suggest: async () =>
        bound.isBound ? [] : (await approvals.suggest()).filter(({ owner }) => owner === scope.owner),
      revoke: (id, by, options) =>
        asked(async () => {
          if (!(await grants(options)).some((each) => each.id === id)) throw noGrantError(id);
          await approvals.revoke(id, by, options);
        }),
    },
  });
}

/** A rule would hold in all tasks of the owner. */
const boundTokenError = (): CaissonError =>
  new CaissonError('permission_denied', 'a token that is bound to a task or a label does not answer always', {
    remedy: 'answer once or session',
  });

export function policyOf(mine: Mine): PolicyApi {
  const { policy } = mine.api;
  const { owner } = mine.scope;
  const checker: PolicyApi['checker'] = (query) => mine.asked(async () => await policy.checker({ ...query, owner }));
  const byHand = { checker, hooks: made(mine, policy.hooks, { rows: hookRows, byHand: {} }) };
  return made(mine, policy, { rows: policyRows, byHand });
}
