/**
 * An exec whose process died gets an event of its end from another process: with what the record of the exec says, which is
 * `lost` unless the process died just after the end.
 */
import { actEnd } from '../../audit/acts.ts';
import type { Journal } from '../../journal/types.ts';
import { actingAs, itself } from '../../lib/author.ts';
import { everyRow, started } from '../../store/pages.ts';
import type { ExecEnd, Store } from '../../store/store.ts';

const lost: ExecEnd = { reason: 'lost', exitCode: null, signal: null };

export async function endCutOff(store: Store, journal: Pick<Journal, 'exec'>): Promise<void> {
  const ends = new Map<string, ExecEnd>();
  for await (const { id } of everyRow((page) => store.execs.cutOff(page), started)) {
    const end = await readEnd(journal, id);
    if (end !== null) ends.set(id, end);
  }
  await actingAs(itself('reaper', 'unfinished'), () => store.execs.endCutOff(ends));
  for (const [id, end] of ends) store.history.ended(id, actEnd(end));
}

/** `null`: it goes on, as its process was taken for dead and lives. */
async function readEnd(journal: Pick<Journal, 'exec'>, id: string): Promise<ExecEnd | null> {
  const found = await journal.exec(id);
  if (found === null) return lost;
  if (found.exit === null) return null;
  const { reason, exitCode, signal } = found.exit;
  return { reason, exitCode, signal };
}
