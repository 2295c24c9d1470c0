/**
 * Fills the index of execs from records that it has no rows of: those of earlier versions, and all of them where a damaged
 * database was set aside. Done once, before the first exec; doing it again after a crash changes nothing.
 */
import { earlierProcesses, forgetEarlierProcesses } from '../../exec/detached/earlier.ts';
import type { Journal } from '../../journal/types.ts';
import type { Store } from '../../store/store.ts';

export async function fillIndex(home: string, store: Store, journal: Journal): Promise<void> {
  if (await store.records.isIndexed()) return;
  const unknown = { taskId: '', backend: '', request: null, startedAt: store.steadyNow() };
  for (const { id, sandboxId } of await earlierProcesses(home)) {
    const { taskId, backend } = (await store.sandboxes.find(sandboxId)) ?? unknown;
    await store.execs.insert({ ...unknown, id, kind: 'detached', taskId, sandboxId, backend });
  }
  await journal.index();
  await store.records.setIndexed();
  await forgetEarlierProcesses(home);
}
