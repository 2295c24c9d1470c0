/** `caisson/conformance/api`: the cases of the API, for other ways to reach it. Needs vitest. */
export type { Api, Sink } from './api.ts';
export { Place } from './place.ts';
export type { CaseMeta } from './results.ts';
export type { Deviation, OpenSubject, Role, Subject } from './subject.ts';
export { apiSuite, type Case, casesOf } from './suite.ts';
