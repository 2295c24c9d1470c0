/** A repeated exec id gives the same exec, replayed from its record, whichever process runs or ran it. */
import { Readable } from 'node:stream';
import type { Options, Running } from '../api.ts';
import { isDetachedError, refuseOther } from '../../exec/detached/known.ts';
import type { Journal } from '../../journal/types.ts';
import { replayExec } from '../../exec/replayed.ts';
import { checkExecId } from '../../values/exec-id.ts';
import { goneExit, isRecorded, whereOf } from './gone.ts';
import { killIn } from './records.ts';
import type { RunningExecs } from './running-execs.ts';
import type { Context } from '../../sandbox/context.ts';
import type { ExecRow } from '../../store/store.ts';

export interface RepeatDependencies {
  readonly context: Context;
  readonly journal: Journal;
  readonly running: RunningExecs;
}

export interface RepeatedId {
  /** Absent: the caller chose none, and nothing can be repeated. */
  readonly execId?: string | undefined;
  /** See `identityOf`. */
  readonly identity: string;
  readonly taskId?: string | undefined;
}

export interface Repeat extends RepeatedId {
  /** Throws `policy_denied` for what rules deny by now. */
  readonly judge: () => Promise<void>;
}

/**
 * `null` when the id was never used. Throws `conflict` when it was used for another request, before anything of that one is
 * read, and `already_exists` when it is that of a detached process. No approval is requested again, and no hook runs.
 */
export async function repeated(
  parts: RepeatDependencies,
  { execId, identity, taskId, judge }: Repeat,
  options: Options,
): Promise<Running | null> {
  if (execId === undefined) return null;
  checkExecId(execId);
  const row = (await parts.context.store.execs.find(execId)) ?? (await recordedRow(parts, execId));
  if (row === null) return null;
  refuseOther(row, { id: execId, request: identity, taskId });
  if (row.kind === 'detached') throw isDetachedError(execId);
  await judge();
  parts.context.audit.recordSoon({ type: 'run', taskId: row.taskId, execId, repeated: true });
  return (await replayed(parts, row, options)) ?? gone(row);
}

/** Makes the row of an exec whose process died before it was written: its record came first. */
async function recordedRow({ journal, context }: RepeatDependencies, execId: string): Promise<ExecRow | null> {
  if (!(await journal.has(execId))) return null;
  const rest = { request: null, holder: '', startedAt: context.store.steadyNow() };
  for await (const { event } of journal.read(execId))
    if (event.type === 'started') return { ...event.where, ...rest, id: execId, kind: 'exec' };
  return { ...rest, id: execId, kind: 'exec', taskId: '', sandboxId: '', backend: '' };
}

/** `null`: its record was never begun, or has expired or been damaged since. */
async function replayed(parts: RepeatDependencies, row: ExecRow, options: Options): Promise<Running | null> {
  const { context, journal, running } = parts;
  if (!(await isRecorded(parts, row))) return null;
  const cancel = async (): Promise<void> => {
    if (!(await running.cancel(row.id))) await killIn(context, row.id, replay);
  };
  const replay = await replayExec(journal, row.id, { cancel, ...(options.signal ? { signal: options.signal } : {}) });
  const sandbox = await context.store.sandboxes.find(replay.where.sandboxId);
  return {
    ...replay,
    how: 'found',
    lostSince: null,
    degraded: sandbox?.degraded ?? [],
    unsetVariables: [],
    missingFiles: [],
  };
}

/** An exec of which nothing but its id is known. It may have run, and so is not run. */
function gone(row: ExecRow): Running {
  return {
    id: row.id,
    where: whereOf(row),
    stdin: null,
    stdout: Readable.from([]),
    stderr: Readable.from([]),
    exit: Promise.resolve(goneExit()),
    ignore: () => undefined,
    cancel: async () => undefined,
    how: 'found',
    lostSince: null,
    degraded: [],
    unsetVariables: [],
    missingFiles: [],
  };
}
