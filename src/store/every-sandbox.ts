import { created, everyRow, type Page } from './pages.ts';
import type { Sandboxes, SandboxQuery, SandboxRow } from './sandboxes.ts';

/** All sandboxes of a list, the oldest first. */
export function everySandbox(
  sandboxes: Pick<Sandboxes, 'list'>,
  query: Omit<SandboxQuery, keyof Page> = {},
): AsyncGenerator<SandboxRow, undefined> {
  return everyRow((page) => sandboxes.list({ ...query, ...page }), created);
}
