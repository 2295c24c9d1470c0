/** What the package exports: opening Caisson, its errors, and the words of its API. */
export { CaissonError, isCode, type Code as ErrorCode } from './errors.ts';
export { openCaisson, type OpenInput } from './main.ts';
export type * from './service/api.ts';
