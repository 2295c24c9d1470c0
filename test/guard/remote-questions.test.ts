import { expect, it, onTestFinished } from 'vitest';
import { Budgets } from '../../src/budget/budgets.ts';
import { kinds } from '../../src/budget/kinds.ts';
import { RemoteQuestions } from '../../src/guard/remote-questions.ts';

const max = kinds.questions.perOwner;

/** Asks of people who answer when the test says so. */
function asking() {
  const budgets = new Budgets(() => ({}));
  const questions = new RemoteQuestions(budgets.of('questions'), () => 60_000);
  onTestFinished(() => questions.close());
  const answers: ((answer: 'once') => void)[] = [];
  const ask = async (owner: string, index: number): Promise<unknown> =>
    await questions.ask(
      {
        caller: { owner, token: `tok_${owner}` },
        taskId: `${owner}.t${index % 40}`,
        execId: null,
        binding: `${owner} ${index}`,
        waits: false,
        signal: undefined,
      },
      async ({ onAsked, signal }) => {
        const { promise, resolve } = Promise.withResolvers<'once' | 'canceled'>();
        answers.push(resolve);
        signal.addEventListener('abort', () => resolve('canceled'), { once: true });
        onAsked(`apr_${owner}${index}`);
        return await promise;
      },
    );
  return { ask, answers, used: () => budgets.figures().find(({ name }) => name === 'questions')?.used };
}

const isOpen = { code: 'approval_required', details: { reason: 'pending' } };

it('one owner with as many open questions as there may be keeps no other owner from asking', async () => {
  const { ask } = asking();
  const asked = await Promise.allSettled(Array.from({ length: 300 }, async (_, index) => await ask('mallory', index)));
  const refused = asked.filter((each) => each.status === 'rejected' && each.reason.code === 'resource_exhausted');
  expect(refused).toHaveLength(300 - max);
  await expect(ask('alice', 0)).rejects.toMatchObject(isOpen);
  await expect(ask('mallory', 301)).rejects.toMatchObject({
    code: 'resource_exhausted',
    message: `mallory holds ${max} open questions, and may hold ${max}`,
    details: { budget: 'questions', owner: 'mallory', used: max },
  });
});

it('a question that is answered is open no more, though its answer is kept', async () => {
  const { ask, answers, used } = asking();
  await expect(ask('alice', 0)).rejects.toMatchObject(isOpen);
  expect(used()).toBe(1);
  answers[0]?.('once');
  await expect.poll(used).toBe(0);
  expect(await ask('alice', 0)).toBe('once');
});
