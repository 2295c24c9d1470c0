/** The installation of the double. */
import type { BudgetFigures, CaissonApi } from '../../src/service/api.ts';

const budgets: readonly BudgetFigures[] = [
  {
    name: 'questions',
    total: 256,
    perOwner: 64,
    used: 240,
    waiting: 0,
    refused: { owner: 3, total: 0, waiting: 0 },
    largest: { owner: 'mallory', used: 64 },
    lastRefused: { owner: 'mallory', agoMs: 90_000 },
  },
];

export const installation: CaissonApi['installation'] = {
  figures: () => Promise.reject(new Error('no figures here')),
  budgets: () => Promise.resolve(budgets),
  budget: () => {
    throw new Error('no budget here');
  },
  backup: (directory) => Promise.resolve({ directory, files: 3, bytes: 4096 }),
};
