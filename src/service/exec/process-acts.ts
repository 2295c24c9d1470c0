/** Ends of detached processes, for the history: they are known when a sandbox is asked, which may be long after. */
import { actEnd } from '../../audit/acts.ts';
import type { KnownProcesses } from '../../exec/detached/known.ts';
import type { DetachedProcess } from '../../exec/detached/types.ts';
import type { Store } from '../../store/store.ts';

/** Ids of those that have ended. */
export function noteEnds(
  { history }: Pick<Store, 'history'>,
  processes: readonly DetachedProcess[],
): readonly string[] {
  const ended = processes.filter(({ state }) => state !== 'running');
  for (const process of ended) history.ended(process.id, actEnd(process));
  return ended.map(({ id }) => id);
}

/** An end that was not seen by now is lost. */
export async function retireProcess(
  known: KnownProcesses,
  { history }: Pick<Store, 'history'>,
  id: string,
): Promise<void> {
  await known.retire(id);
  history.ended(id, actEnd({ reason: 'lost', exitCode: null, signal: null }));
}
