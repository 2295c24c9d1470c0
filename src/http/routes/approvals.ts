import { approvals } from '../../service/verbs/approvals.ts';
import { outline, served } from '../made.ts';
import { route } from '../route.ts';
import { plain, skipBody } from '../schemas/approvals.ts';
import { inside, noAnswer } from '../schemas/common.ts';

const skipQuestions = route({
  ...inside,
  ...outline(approvals.skip),
  body: skipBody,
  answer: noAnswer,
  run: async ({ api, params, body, options }) => {
    const { taskId } = await api.sandboxes.get(params.id, options);
    await api.approvals.skip(taskId, body.skip, options);
    return undefined;
  },
});

export const approvalRoutes = served('approvals', approvals, { ...plain, skip: [skipQuestions] });
