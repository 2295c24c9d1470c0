/** Execs as their records have them, in whichever process they run or ran. */
import type { ExecEvent, ExecFilter, ExecView, LogInput, Options, Page } from '../api.ts';
import { CaissonError } from '../../errors.ts';
import type { ExecSummary, Journal } from '../../journal/types.ts';
import { killTree } from '../../exec/kill/kill-tree.ts';
import { sandboxOf } from '../../exec/user.ts';
import { checkExecId } from '../../values/exec-id.ts';
import type { Where } from '../../values/exec-event.ts';
import { cancelable, type Context } from '../../sandbox/context.ts';
import { presentSandbox } from '../../sandbox/present.ts';
import { limitOf, pageOf, positionOf } from '../pages.ts';
import { goneEvents, goneExec, type GoneDependencies } from './gone.ts';
import type { Processes } from './processes.ts';
import type { RunningExecs } from './running-execs.ts';

export interface RecordsDependencies {
  readonly context: Context;
  readonly journal: Journal;
  readonly processes: Processes;
}

export async function listExecs(
  journal: Journal,
  { task, owner, sandboxes, ...page }: ExecFilter,
): Promise<Page<ExecView>> {
  const limit = limitOf(page);
  const found = await journal.execs({ task, owner, sandboxes, after: positionOf(page), limit: limit + 1 });
  return pageOf(found.map(viewOf), limit, ({ id, startedAt }) => ({ at: Date.parse(startedAt), id }));
}

export async function findExec(
  parts: GoneDependencies & { readonly journal: Journal },
  execId: string,
): Promise<ExecView> {
  const { journal } = parts;
  const found = await journal.exec(checkExecId(execId));
  if (found !== null) return viewOf(found);
  const gone = await goneExec(parts, execId);
  if (gone !== null) return gone;
  const begun = await journal.exec(execId);
  if (begun === null) throw recordMissingError(execId);
  return viewOf(begun);
}

/** An exec of another process is ended in its sandbox: that process records the end. */
export async function cancelExec(
  parts: RecordsDependencies & { readonly running: RunningExecs },
  execId: string,
): Promise<void> {
  const { context, running } = parts;
  if (await running.cancel(checkExecId(execId))) return;
  if ((await context.store.execs.find(execId))?.kind === 'detached')
    throw new CaissonError('failed_precondition', `${execId} is a detached process`, {
      remedy: 'end it with `processes.kill`, or with `caisson kill`',
      details: { execId },
    });
  const { exit, ...begun } = await findExec(parts, execId);
  if (exit === null) await killIn(context, execId, begun);
}

export interface Begun {
  readonly where: Where;
  readonly user?: string;
}

/** Finds the tree by the id, and kills it. */
export async function killIn(context: Context, execId: string, { where, user }: Begun): Promise<void> {
  const row = await context.store.sandboxes.find(where.sandboxId);
  const sandbox = row === null ? null : await presentSandbox(context, row);
  if (sandbox !== null) await killTree(sandboxOf(sandbox, user), execId, { process: null, mayRestart: false });
}

export interface RecordRequest {
  readonly id: string;
  readonly how: LogInput;
}

/**
 * What was recorded under an id: of a detached process, of an exec, or of all execs of a task. Throws `not_found` for an id
 * that names nothing, which differs from a task in which nothing ran yet.
 */
export async function* readEvents(
  parts: RecordsDependencies,
  { id, how }: RecordRequest,
  options: Options,
): AsyncIterable<ExecEvent> {
  const { journal, processes } = parts;
  checkTail(id, how);
  const ofProcess = await processes.logs(id, how, options);
  if (ofProcess !== null) {
    if (how.tailBytes !== undefined) throw tailError('a detached process has its output in its sandbox');
    yield* ofProcess;
    return;
  }
  const read = (): AsyncIterable<ExecEvent> => journal.logs(id, { ...how, ...cancelable(options) });
  if (yield* passed(read())) return;
  const gone = await goneExec(parts, id);
  if (gone !== null) {
    yield* goneEvents(gone, how);
    return;
  }
  // It may have begun since the first look.
  if (!(yield* passed(read()))) await checkKnown(parts, id);
}

/** Throws `invalid_argument`. */
function checkTail(id: string, { tailBytes }: LogInput): void {
  if (tailBytes === undefined) return;
  if (!id.startsWith('exec_')) throw tailError('the record of a task is that of many execs');
  if (!Number.isSafeInteger(tailBytes) || tailBytes < 0) throw tailError('it is a number of bytes');
}

const tailError = (why: string): CaissonError =>
  new CaissonError('invalid_argument', `tailBytes does not fit: ${why}`, {
    remedy: 'give it with the id of an exec, or read without it',
  });

/** Whether there were any. */
async function* passed(events: AsyncIterable<ExecEvent>): AsyncGenerator<ExecEvent, boolean, void> {
  let isKnown = false;
  for await (const event of events) {
    isKnown = true;
    yield event;
  }
  return isKnown;
}

async function checkKnown({ context: { store }, journal }: RecordsDependencies, id: string): Promise<void> {
  if (await journal.has(id)) return;
  if (((await store.sandboxes.ofTask(id)) ?? (await store.sandboxes.find(id))) !== null) return;
  throw recordMissingError(id);
}

export function recordMissingError(id: string): CaissonError {
  return new CaissonError('not_found', `there is no record of ${JSON.stringify(id.slice(0, 80))}`, {
    remedy: '`caisson ls` and `caisson ps` show what there is; records are kept for a while only',
    details: { id: id.slice(0, 80) },
  });
}

function viewOf({ execId, ...rest }: ExecSummary): ExecView {
  return { id: execId, ...rest };
}
