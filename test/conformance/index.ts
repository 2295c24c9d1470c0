/** `caisson/conformance`: the contract's cases, for the backends of others. Needs vitest. */
export { type Argv, type Deviation, Place, type Subject } from './place.ts';
export { plainSpec } from './spec.ts';
export { sh } from './command.ts';
export { type Case, casesOf, type More, Suite, testBackend } from './suite.ts';
export type { CaseMeta } from './results.ts';
