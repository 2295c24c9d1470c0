import { describe, expect, it } from 'vitest';
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

describe.each(budgetNames)('%s', (name) => {
  const limits = { total: 5, per_owner: 2 };
  const opened = () => new Budgets(() => ({ [name]: limits })).of(name);

  it('serves another owner when one has filled its share, and the refusal names budget, use and remedy', () => {
    const budget = opened();
    budget.take('mallory', 2);
    expect(() => budget.take('mallory')).toThrow(
      expect.objectContaining({
        code: 'resource_exhausted',
        message: `mallory holds 2 ${kinds[name].counts}, and may hold 2`,
        remedy: `${kinds[name].remedy}, or have the operator raise server.limits.${name}.per_owner`,
        details: expect.objectContaining({ budget: name, reason: 'owner', owner: 'mallory', used: 2, most: 2 }),
      }),
    );
    expect(budget.take('alice', 2).amount).toBe(2);
  });

  it('lets another owner pass those that wait for the share of one', async () => {
    const budget = opened();
    const full = budget.take('mallory', 2);
    const waits = budget.wait('mallory');
    expect((await budget.wait('alice')).amount).toBe(1);
    full.free();
    expect((await waits).amount).toBe(1);
  });
});
