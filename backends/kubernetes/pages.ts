/** A list of the cluster, page by page, whole or not at all. */
import { CaissonError } from '../../src/errors.ts';
import type { List, Pod } from './objects.ts';

export interface Listing {
  readonly items: readonly Pod[];
  /** The resource version of the list: a watch from it reports every later change. */
  readonly version: string;
}

/** `page`: that behind the mark of the page before, which is empty at first. Throws `resource_exhausted` for more than `most`. */
export async function everyPage(page: (next: string) => Promise<List>, most: number): Promise<Listing> {
  const items: Pod[] = [];
  let next = '';
  let version = '';
  do {
    const { items: some = [], metadata } = await page(next);
    items.push(...some);
    next = metadata?.continue ?? '';
    version = metadata?.resourceVersion ?? version;
    // Part of a list would be taken for all: what it lacks would count as gone, and stay for ever.
    if (items.length > most || (next !== '' && items.length === most)) throw tooManyError(most);
  } while (next !== '');
  return { items, version };
}

function tooManyError(most: number): CaissonError {
  return new CaissonError('resource_exhausted', `the namespace has more than ${most} objects of this service`, {
    details: { most },
    remedy:
      'remove sandboxes, or divide them among services with namespaces of their own (terminal.kubernetes_namespace)',
  });
}
