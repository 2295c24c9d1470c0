/** What the package exports: opening Caisson, its errors, and the words of its API. */
import { openCaisson as open } from './main.ts';
import type { CaissonLibrary } from './service/library.ts';
import type { OpenInput } from './service/open.ts';

export { CaissonError, isCode, type Code as ErrorCode } from './errors.ts';
export type * from './service/api.ts';
export type * from './service/library.ts';
export type { BackendLoader } from './backend.ts';
export type { OpenInput } from './service/open.ts';

/** Opens Caisson on a state directory, which several processes may share. Starts nothing in any backend. */
export async function openCaisson(input: OpenInput = {}): Promise<CaissonLibrary> {
  return await open(input);
}
