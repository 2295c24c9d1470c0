/** Collects, over all backends and the state directory, what time, crashes and strangers left. */
import { toCaissonError } from '../../errors.ts';
import type { Journal } from '../../journal/journal.ts';
import type { GcItem } from './gc-item.ts';
import { refuseCopy } from './home-identity.ts';
import type { Context } from '../../sandbox/context.ts';
import { collectGarbage, type Garbage, findGarbage, lostCredentials, lostDoors } from '../../sandbox/garbage.ts';
import { explanations, sweep, sweepable, type Swept } from '../../sandbox/sweep.ts';

export interface GcDependencies {
  readonly context: Context;
  readonly journal: Journal;
  readonly backendNames: readonly string[];
}

/** Throws `failed_precondition` in a copy of a state directory. With `dryRun` nothing is changed, and the answer tells what would be. A backend that is not there has nothing to tell. */
export async function gc(parts: GcDependencies, how: { readonly dryRun: boolean }): Promise<readonly GcItem[]> {
  refuseCopy(parts.context.home);
  const swept = how.dryRun ? await sweepable(parts.context) : await sweep(parts.context);
  const garbage = await Promise.all(parts.backendNames.map((name) => garbageIn(parts, name, how.dryRun)));
  const files = [...(await lostCredentials(parts.context)), ...(await lostDoors(parts.context))];
  const lost = how.dryRun ? files : await collectGarbage(files);
  const expired = await parts.journal.expire({ dryRun: how.dryRun });
  return [...swept.map(sweptItem), ...garbage.flat(), ...lost.map(garbageItem), ...expired.map(journalItem)];
}

async function garbageIn(parts: GcDependencies, name: string, dryRun: boolean): Promise<readonly GcItem[]> {
  try {
    const backend = await parts.context.backend(name);
    if ((await backend.check()).status !== 'ready') return [];
    const garbage = await findGarbage(parts.context, backend);
    const done = dryRun ? garbage : await collectGarbage(garbage);
    return done.map(garbageItem);
  } catch (error) {
    const { message } = toCaissonError(error);
    return [
      { kind: 'resource', backend: name, name, taskId: null, why: 'the backend could not be asked', error: message },
    ];
  }
}

function garbageItem({ remove: _remove, ...item }: Garbage): GcItem {
  return item;
}

function sweptItem({ row, reason, ...rest }: Omit<Swept, 'error'> & Partial<Pick<Swept, 'error'>>): GcItem {
  const error = rest.error?.message;
  const item = {
    kind: 'sandbox',
    backend: row.backend,
    name: row.id,
    taskId: row.taskId,
    why: explanations[reason],
  } as const;
  return error === undefined ? item : { ...item, error };
}

function journalItem(entry: { readonly name: string; readonly why: string }): GcItem {
  return { kind: 'journal', backend: null, name: entry.name, taskId: null, why: entry.why };
}
