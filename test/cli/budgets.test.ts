import { expect, it } from 'vitest';
import { budgetsCheck } from '../../src/cli/budgets.ts';
import type { BudgetFigures } from '../../src/service/api.ts';

const quiet: BudgetFigures = {
  name: 'questions',
  total: 100,
  perOwner: 25,
  used: 10,
  waiting: 0,
  refused: { owner: 0, total: 0, waiting: 0 },
  largest: { owner: 'alice', used: 10 },
  lastRefused: null,
};

it('says nothing of budgets that refuse no request', () => {
  expect(budgetsCheck([quiet, { ...quiet, total: null, used: 10 ** 9 }])).toBeNull();
});

it('names the budget, the owner that was refused last, and what to do', () => {
  const refused = { owner: 7, total: 0, waiting: 1 };
  const check = budgetsCheck([{ ...quiet, refused, lastRefused: { owner: 'mallory', agoMs: 60_000 } }]);
  expect(check?.findings).toEqual([
    {
      severity: 'warning',
      id: 'questions',
      message: '8 requests were refused, the last one of mallory 1 min ago',
      remedy: expect.stringContaining('server.limits.questions'),
    },
  ]);
});

it('forgets a refusal after an hour', () => {
  const lastRefused = { owner: 'mallory', agoMs: 3_600_001 };
  expect(budgetsCheck([{ ...quiet, refused: { owner: 1, total: 0, waiting: 0 }, lastRefused }])).toBeNull();
});

it('warns of a budget that is nearly used up, and names who holds the most of it', () => {
  const check = budgetsCheck([{ ...quiet, used: 90, largest: { owner: 'mallory', used: 25 } }]);
  expect(check?.findings.map(({ message }) => message)).toEqual(['90 of 100 are in use, most of it by mallory (25)']);
});
