/**
 * Fills the index of execs from records that it has no rows of: those of earlier versions, and all of them where a damaged
 * database was set aside. Done once, before the first exec; doing it again after a crash changes nothing.
 */
import { earlierProcesses, forgetEarlierProcesses } from '../../exec/detached/earlier.ts';
import type { Journal } from '../../exec/journal/types.ts';
import type { Store } from '../../store/store.ts';

export async function fillIndex(home: string, store: Store, journal: Journal): Promise<void> {
  if (await store.isIndexed()) return;
  const unknown = { taskId: '', backend: '', request: null, startedAt: store.steadyNow() };
  for (const { id, sandboxId } of await earlierProcesses(home)) {
    const { taskId, backend } = (await store.sandbox(sandboxId)) ?? unknown;
    await store.insertExec({ ...unknown, id, kind: 'detached', taskId, sandboxId, backend });
  }
  for (const { execId, startedAt, where } of await journal.execs({ limit: Infinity })) {
    const { taskId, sandboxId, backend } = where;
    const row = { id: execId, kind: 'exec', taskId, sandboxId, backend, request: null } as const;
    await store.insertExec({ ...row, startedAt: Date.parse(startedAt) });
  }
  await store.setIndexed();
  await forgetEarlierProcesses(home);
}
