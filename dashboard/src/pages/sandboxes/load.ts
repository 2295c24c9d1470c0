/** All sandboxes that the token sees, page by page, and the newest execs beside them. */
import type { CaissonClient } from 'caisson/client';
import type { Exec, Sandbox } from './rows.ts';

const mostSandboxes = 5000;
const pageSize = 1000;

export interface Lists {
  readonly sandboxes: readonly Sandbox[];
  readonly execs: readonly Exec[];
}

export async function loadLists({ sandboxes, execs }: CaissonClient, signal: AbortSignal): Promise<Lists> {
  const newest = execs.list({ limit: 500 }, { signal });
  const found: Sandbox[] = [];
  for (let cursor: string | null = ''; cursor !== null && found.length < mostSandboxes;) {
    const at: { readonly cursor?: string } = cursor === '' ? {} : { cursor };
    const page = await sandboxes.list({ limit: pageSize, ...at }, { signal });
    found.push(...page.items);
    cursor = page.nextCursor;
  }
  return { sandboxes: found, execs: (await newest).items };
}
