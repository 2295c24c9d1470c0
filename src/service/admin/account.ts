/** What runs in the accounts of backends that have one, also of other programs. */
import type { AccountEntry, Backend } from '../../backend.ts';
import { toCaissonError } from '../../errors.ts';
import { cancelable, type Context } from '../../sandbox/context.ts';
import type { AccountItem, AccountView, Options } from '../types.ts';

const maxEntries = 10_000;
const longestName = 200;

/** Backends without an account are left out. One that does not answer is an entry with an error. */
export async function readAccounts(
  context: Context,
  names: readonly string[],
  options: Options,
): Promise<readonly AccountView[]> {
  const views = await Promise.all(
    names.map(async (name) => await readAccount(await context.backend(name), context.store.instance, options)),
  );
  return views.filter((view) => view !== null);
}

async function readAccount(backend: Backend, instance: string, options: Options): Promise<AccountView | null> {
  if (backend.account === undefined) return null;
  try {
    const entries = await backend.account.list(cancelable(options));
    const items = entries.slice(0, maxEntries).map((entry) => itemOf(entry, instance));
    return { backend: backend.name, items, error: null };
  } catch (error) {
    const { message } = toCaissonError(error);
    return { backend: backend.name, items: [], error: message };
  }
}

function itemOf(entry: AccountEntry, instance: string): AccountItem {
  const { name, state, since, cpuCores, memoryBytes, labels } = entry;
  return {
    name: name.slice(0, longestName),
    state,
    since: momentOf(since),
    cpuCores,
    memoryBytes,
    owner: labels === null ? 'none' : labels.instance === instance ? 'this' : 'other',
    taskId: labels?.task.slice(0, longestName) ?? null,
  };
}

function momentOf(text: string | null): string | null {
  const ms = text === null || text.length > 40 ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
