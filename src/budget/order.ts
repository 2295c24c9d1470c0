/** Who is next. Pure. */
import type { Limits } from './types.ts';

/** One owner of a budget: what it holds, and the amounts of its requests that wait, oldest first. */
export interface OwnerStanding {
  readonly owner: string;
  readonly used: number;
  readonly waiting: readonly { readonly amount: number }[];
}

/**
 * The owner whose oldest request is next: of those that may hold as much, the one that holds the least; of equals the first. `null`:
 * none is. A request that finds too little free holds up those behind it: small ones would pass a large one for ever.
 */
export function chooseNext(
  owners: readonly OwnerStanding[],
  free: number,
  maxOf: (owner: string) => number,
): string | null {
  let next: OwnerStanding | null = null;
  for (const each of owners) {
    const [first] = each.waiting;
    if (first === undefined || each.used + first.amount > maxOf(each.owner)) continue;
    if (next === null || each.used < next.used) next = each;
  }
  return next !== null && (next.waiting[0]?.amount ?? 0) <= free ? next.owner : null;
}

export const orUnlimited = (limit: Limits['total']): number => limit ?? Number.POSITIVE_INFINITY;
