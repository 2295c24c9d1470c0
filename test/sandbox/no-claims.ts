import type { Claims } from '../../src/sandbox/context.ts';

/** Nothing is made ahead in these tests. */
export const noClaims: Claims = { claim: () => Promise.resolve(null) };
