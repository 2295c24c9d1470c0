/** All sandboxes that the token sees, page by page, and the newest execs beside them. */
import type { CaissonClient } from 'caisson/client';
import type { Exec, Sandbox } from './rows.ts';

const mostSandboxes = 5000;
const pageSize = 1000;

export interface Lists {
  readonly sandboxes: readonly Sandbox[];
  readonly execs: readonly Exec[];
}

export async function loadLists(client: CaissonClient, signal: AbortSignal): Promise<Lists> {
  const [sandboxes, execs] = await Promise.all([
    everySandbox(client, signal),
    client.execs.list({ limit: 500 }, { signal }),
  ]);
  return { sandboxes, execs: execs.items };
}

async function everySandbox({ sandboxes }: CaissonClient, signal: AbortSignal): Promise<readonly Sandbox[]> {
  const found: Sandbox[] = [];
  for (let cursor: string | null = ''; cursor !== null && found.length < mostSandboxes;) {
    const at: { readonly cursor?: string } = cursor === '' ? {} : { cursor };
    const page = await sandboxes.list({ limit: pageSize, ...at }, { signal });
    found.push(...page.items);
    cursor = page.nextCursor;
  }
  return found;
}
