/** Answers to questions of other processes. */
import type { Choice } from '../service/api.ts';
import type { Context } from './context.ts';
import { forEachTask } from './each.ts';
import type { World } from './world.ts';

/** The name under which an answer is recorded. */
export const asker = ({ env }: World): string => `${env['USER'] ?? 'somebody'} on a terminal`;

export async function answerAll(
  ids: readonly string[],
  answer: { readonly choice: Choice; readonly by: string },
  context: Context,
): Promise<number> {
  const { approvals } = await context.service();
  return await forEachTask({ operands: ids, all: null }, context, (id) =>
    approvals.answer(id, answer.choice, answer.by),
  );
}
