import { expect, it } from 'vitest';
import { Budgets, limitsOf } from '../../src/budget/budgets.ts';
import { budgetNames, kinds } from '../../src/budget/kinds.ts';

it('takes a limit from the configuration, and what is left out from the usual ones', () => {
  const usual = kinds.questions;
  expect(limitsOf('questions', {})).toEqual({ total: usual.total, perOwner: usual.perOwner });
  expect(limitsOf('questions', { questions: { per_owner: 3 } })).toEqual({ total: usual.total, perOwner: 3 });
  expect(limitsOf('questions', { questions: { total: null } })).toEqual({ total: null, perOwner: usual.perOwner });
});

it('holds one budget for each name, which the configuration of the moment limits', () => {
  let configured = {};
  const budgets = new Budgets(() => configured);
  configured = { questions: { per_owner: 1 } };
  budgets.of('questions').take('alice');
  expect(() => budgets.of('questions').take('alice')).toThrow(expect.objectContaining({ code: 'resource_exhausted' }));
  expect(budgets.figures().map(({ name }) => name)).toEqual(budgetNames);
});

it('leaves a total of which no owner can take all', () => {
  expect(budgetNames.filter((name) => kinds[name].perOwner >= kinds[name].total)).toEqual([]);
});
