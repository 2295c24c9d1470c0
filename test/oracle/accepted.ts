/** Differences that Caisson is meant to have, each with the sentence of the documents that wants it. */
import { type Path, paths } from './path.ts';

export interface Accepted {
  readonly page: string;
  /** As it stands on the page. */
  readonly sentence: string;
  readonly paths: readonly Path[];
}

export const accepted: Readonly<Record<string, Accepted>> = {
  variables: { page: '', sentence: '', paths },
};
