/** Execs as their records have them, in whichever process they run or ran. */
import type { ExecEvent, ExecFilter, ExecView, LogInput, Options, Page } from '../api.ts';
import { CaissonError } from '../../errors.ts';
import type { ExecSummary, Journal } from '../../exec/journal/types.ts';
import { killTree } from '../../exec/kill/kill-tree.ts';
import { checkExecId } from '../../exec/request.ts';
import type { Where } from '../../exec/types.ts';
import { cancelable, type Context } from '../../sandbox/context.ts';
import { presentSandbox } from '../../sandbox/present.ts';
import { limitOf, pageOf, positionOf } from '../pages.ts';
import type { Processes } from './processes.ts';
import type { RunningExecs } from './running-execs.ts';

export interface RecordParts {
  readonly context: Context;
  readonly journal: Journal;
  readonly processes: Processes;
}

export async function execsOf(
  journal: Journal,
  { task, owner, sandboxes, ...page }: ExecFilter,
): Promise<Page<ExecView>> {
  const limit = limitOf(page);
  const found = await journal.execs({ task, owner, sandboxes, after: positionOf(page), limit: limit + 1 });
  return pageOf(found.map(viewOf), limit, ({ id, startedAt }) => ({ at: Date.parse(startedAt), id }));
}

export async function execOf(journal: Journal, execId: string): Promise<ExecView> {
  const found = await journal.exec(checkExecId(execId));
  if (found === null) throw noRecord(execId);
  return viewOf(found);
}

/** An exec of another process is ended in its sandbox: that process records the end. */
export async function cancelExec(
  { context, journal, running }: RecordParts & { readonly running: RunningExecs },
  execId: string,
): Promise<void> {
  if (await running.cancel(checkExecId(execId))) return;
  if ((await context.store.exec(execId))?.kind === 'detached')
    throw new CaissonError('failed_precondition', `${execId} is a detached process`, {
      remedy: 'end it with `processes.kill`, or with `caisson kill`',
      details: { execId },
    });
  const { exit, where } = await execOf(journal, execId);
  if (exit === null) await killIn(context, execId, where);
}

/** Finds the tree by the id, and kills it. */
export async function killIn(context: Context, execId: string, where: Where): Promise<void> {
  const row = await context.store.sandbox(where.sandboxId);
  const sandbox = row === null ? null : await presentSandbox(context, row);
  if (sandbox !== null) await killTree(sandbox, execId, { process: null, mayRestart: false });
}

export interface Wanted {
  readonly id: string;
  readonly how: LogInput;
}

/**
 * What was recorded under an id: of a detached process, of an exec, or of all execs of a task. Throws `not_found` for an id
 * that names nothing, which differs from a task in which nothing ran yet.
 */
export async function* eventsOf(parts: RecordParts, { id, how }: Wanted, options: Options): AsyncIterable<ExecEvent> {
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
  throw noRecord(id);
}

export function noRecord(id: string): CaissonError {
  return new CaissonError('not_found', `there is no record of ${JSON.stringify(id.slice(0, 80))}`, {
    remedy: '`caisson ls` and `caisson ps` show what there is; records are kept for a while only',
    details: { id: id.slice(0, 80) },
  });
}

function viewOf({ execId, startedAt, command, where, exit }: ExecSummary): ExecView {
  return { id: execId, startedAt, command, where, exit };
}
