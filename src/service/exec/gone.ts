/**
 * Execs whose ids are taken and whose records are not there: the process died before the first line, or the record has
 * expired or was damaged. Whether it ran is not known, so each way of asking for the id gives the same answer, `lost`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecEvent, ExecView, LogInput, Where } from '../api.ts';
import type { Exit } from '../../values/exit.ts';
import type { Journal } from '../../journal/types.ts';
import { exitWithout } from '../../values/outcome.ts';
import type { Context } from '../../sandbox/context.ts';
import type { ExecRow } from '../../store/store.ts';

export interface GoneDependencies {
  readonly context: Pick<Context, 'store'>;
  readonly journal: Pick<Journal, 'has'>;
}

/** Between its row and the beginning of its record, an exec of a live process takes this long at most. */
const beginMs = 10_000;
const lookMs = 25;

/** Waits for the record of an exec that is being started. False: there is none, and none will come. */
export async function isRecorded({ context: { store }, journal }: GoneDependencies, row: ExecRow): Promise<boolean> {
  const ageMs = Math.max(0, store.steadyNow() - row.startedAt);
  const until = performance.now() + beginMs - ageMs;
  while (performance.now() < until && !(await journal.has(row.id)) && (await store.leases.isAlive(row.holder)))
    await sleep(lookMs);
  return await journal.has(row.id);
}

/** `null`: the id was never used, is that of a detached process, or has a record by now. */
export async function goneExec(parts: GoneDependencies, execId: string): Promise<ExecView | null> {
  const row = await parts.context.store.execs.find(execId);
  if (row?.kind !== 'exec' || (await isRecorded(parts, row))) return null;
  const startedAt = new Date(row.startedAt).toISOString();
  return { id: execId, startedAt, command: [], where: whereOf(row), exit: goneExit() };
}

export function goneExit(): Exit {
  return exitWithout('lost', 'it was started before, and its record is gone; it is not run again');
}

export function whereOf({ backend, taskId, sandboxId }: ExecRow): Where {
  return { backend, taskId, sandboxId, host: null, resource: null, recreated: false };
}

/** For a reader that has come to `after` in a record that is no more, the end is all that follows. */
export function* goneEvents({ id, startedAt, where, command }: ExecView, { after = 0 }: LogInput): Iterable<ExecEvent> {
  const event = (seq: number, what: ExecEvent['event']): ExecEvent => ({ execId: id, seq, at: startedAt, event: what });
  if (after < 1) yield event(1, { type: 'started', command, cwd: '', tty: false, where });
  yield event(Math.max(after, 1) + 1, { type: 'exit', exit: goneExit() });
}
