/** What there is in the account, all pages, and the ceiling on what may run at once. */
import type { AccountEntry, Cancelable } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import type { Account } from './account.ts';
import { fromService, isGone, isMoving, resourceState } from './records.ts';
import type { Handle } from './sdk.ts';

const pageSize = 100;
/** An account of more is not looked at to its end. */
const maxListed = 20_000;
const maxNamed = 20;
const gibibyte = 2 ** 30;

export async function listAll(
  account: Account,
  labels: Record<string, string> | null,
  { signal }: Cancelable,
): Promise<readonly Handle[]> {
  const all = await account.ask(
    async (client) => {
      const found: Handle[] = [];
      for await (const each of client.list({ limit: pageSize, ...(labels === null ? {} : { labels }) })) {
        found.push(each);
        if (found.length >= maxListed) break;
      }
      return found;
    },
    { doing: 'list the sandboxes', idempotent: true, signal },
  );
  return all.filter(({ state }) => !isGone(state));
}

export function entryOf(handle: Handle): AccountEntry {
  const { name, id, state, createdAt, cpu, memory } = handle;
  const labels = fromService(handle.labels);
  return {
    name: name === '' ? id : name,
    state: resourceState(state),
    since: createdAt ?? null,
    cpuCores: cpu,
    memoryBytes: memory * gibibyte,
    labels: labels === null ? null : { instance: labels.instance, sandbox: labels.sandbox, task: labels.task },
  };
}

/** Throws `resource_exhausted` with what runs. */
export async function refuseBeyondCeiling(account: Account, options: Cancelable): Promise<void> {
  const { maxSandboxes } = account.settings;
  if (maxSandboxes === null) return;
  const running = (await listAll(account, null, options)).filter(({ state }) => state === 'started' || isMoving(state));
  if (running.length < maxSandboxes) return;
  const names = running.slice(0, maxNamed).map(({ name }) => name.slice(0, 100));
  throw new CaissonError(
    'resource_exhausted',
    `${running.length} sandboxes run in the Daytona account, which is the limit: ${names.join(', ')}`,
    {
      details: { running: names, limit: maxSandboxes },
      remedy: 'stop or remove some of them, or raise terminal.daytona_max_sandboxes',
    },
  );
}
