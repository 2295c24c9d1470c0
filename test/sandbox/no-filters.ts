import type { Filters } from '../../src/egress/way-out.ts';

/** No place of these tests filters by itself. */
const unexpected = (): Promise<never> => Promise.reject(new Error('a list was asked for'));
export const noFilters = (): Filters => ({
  given: new Map(),
  list: unexpected,
  isCurrent: unexpected,
  check: unexpected,
});
