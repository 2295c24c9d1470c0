/** All budgets of one process, by name. */
import { HeldBudget } from './budget.ts';
import { budgetNames, kinds } from './kinds.ts';
import type { Budget, BudgetFigures, BudgetName, Limits } from './types.ts';

/** Limits in the form of the configuration, below `server.limits`. An absent limit has its default. */
export type Configured = {
  readonly [Name in BudgetName]?:
    | { readonly total?: number | null | undefined; readonly per_owner?: number | null | undefined }
    | undefined;
};

export class Budgets {
  readonly #budgets: ReadonlyMap<BudgetName, HeldBudget>;

  constructor(configured: () => Configured) {
    this.#budgets = new Map(
      budgetNames.map((name) => [name, new HeldBudget(name, () => limitsOf(name, configured()))] as const),
    );
  }

  of(name: BudgetName): Budget {
    const budget = this.#budgets.get(name);
    if (budget === undefined) throw new TypeError(`there is no budget ${name}`);
    return budget;
  }

  figures(): readonly BudgetFigures[] {
    return [...this.#budgets.values()].map((budget) => budget.figures());
  }
}

export function limitsOf(name: BudgetName, configured: Configured): Limits {
  const { total, perOwner } = kinds[name];
  const said = configured[name] ?? {};
  return {
    total: said.total === undefined ? total : said.total,
    perOwner: said.per_owner === undefined ? perOwner : said.per_owner,
  };
}
