import { CaissonError } from '../errors.ts';
import { kinds } from './kinds.ts';
import type { BudgetName, Reason } from './types.ts';

export interface Refused {
  readonly budget: BudgetName;
  readonly reason: Reason;
  readonly owner: string;
  /** What the owner holds, and what it asked for beside it. */
  readonly used: number;
  readonly amount: number;
  /** The limit that is reached. */
  readonly max: number;
}

const retryAfterSeconds = 1;

/** Tells an owner its own use and the limit that is reached. What other owners hold is theirs to know. */
export function budgetExhaustedError({ budget, reason, owner, used, amount, max }: Refused): CaissonError {
  const { counts, remedy } = kinds[budget];
  const words = {
    owner: `${owner} holds ${used} ${counts}, and may hold ${max}`,
    total: `all owners together may hold ${max} ${counts}, of which ${owner} holds ${used}`,
    waiting: `${max} requests of ${owner} wait already for the limit of ${counts}`,
  };
  const key = `server.limits.${budget}.${reason === 'total' ? 'total' : 'per_owner'}`;
  return new CaissonError('resource_exhausted', words[reason], {
    remedy: `${remedy}, or have the operator raise ${key}`,
    details: { budget, reason, owner, used, wanted: amount, most: max, retryAfterSeconds },
  });
}
