/** What was recorded under an id: of a detached process, of an exec, or of all execs of a task. */
import type { ExecEvent, Options } from '../api.ts';
import { CaissonError } from '../../errors.ts';
import type { ExecParts } from './execs.ts';
import type { Processes } from './detached.ts';
import { cancelable } from '../../sandbox/context.ts';

export interface RecordParts extends Pick<ExecParts, 'context' | 'journal'> {
  readonly processes: Processes;
}

export interface Wanted {
  readonly id: string;
  readonly how: { readonly after?: number; readonly follow?: boolean };
}

/** Throws `not_found` for an id that names nothing, which is another thing than a task in which nothing ran yet. */
export async function* recordOf(parts: RecordParts, { id, how }: Wanted, options: Options): AsyncIterable<ExecEvent> {
  const ofProcess = await parts.processes.logs(id, how, options);
  let isKnown = ofProcess !== null;
  for await (const event of ofProcess ?? parts.journal.logs(id, { ...how, ...cancelable(options) })) {
    isKnown = true;
    yield event;
  }
  if (!isKnown) await checkKnown(parts, id);
}

async function checkKnown({ context: { store }, journal }: RecordParts, id: string): Promise<void> {
  if (await journal.has(id)) return;
  if (((await store.sandboxOfTask(id)) ?? (await store.sandbox(id))) !== null) return;
  throw new CaissonError('not_found', `there is no record of ${JSON.stringify(id.slice(0, 80))}`, {
    remedy: '`caisson ls` and `caisson ps` show what there is; records are kept for a while only',
    details: { id: id.slice(0, 80) },
  });
}
