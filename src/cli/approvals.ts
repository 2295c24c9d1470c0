/** Answers to questions of other processes. */
import type { AnsweredAll, Choice } from '../service/api.ts';
import type { Context } from './context.ts';
import { forEachTask } from './each.ts';
import type { World } from './world.ts';

interface Answer {
  readonly choice: Choice;
  readonly by: string;
}

/** The name under which an answer is recorded. */
export const asker = ({ env }: World): string => `${env['USER'] ?? 'somebody'} on a terminal`;

/** The operands are questions; with `--all`, tasks. */
export async function answerNamed(
  { operands, all }: { readonly operands: readonly string[]; readonly all: boolean },
  { choice, by }: Answer,
  context: Context,
): Promise<number> {
  const { approvals } = await context.service();
  if (all && choice !== 'always') return await answerTasks(operands, { choice, by }, context);
  return await forEachTask({ operands, all: null }, context, (id) => approvals.answer(id, choice, by));
}

/** Prints the ids of what was answered. 1: something that waited is not. */
async function answerTasks(
  tasks: readonly string[],
  { choice, by }: Answer & { readonly choice: Exclude<Choice, 'always'> },
  context: Context,
): Promise<number> {
  const { approvals } = await context.service();
  const all: AnsweredAll[] = [];
  for (const taskId of tasks) {
    const { answered, left } = await approvals.answerAll({ taskId, choice }, by);
    all.push({ answered, left });
    if (!context.json) await context.print(answered.map((id) => `${id}\n`).join(''));
    for (const { id, why } of left) context.notice(`${id} is not answered: ${why}`);
  }
  const left = all.flatMap((each) => each.left);
  if (context.json) await context.printJson({ answered: all.flatMap(({ answered }) => answered), left });
  return left.length === 0 ? 0 : 1;
}
