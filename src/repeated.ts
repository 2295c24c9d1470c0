/** A repeated exec id gives the same exec, told from its record, whichever process runs or ran it. */
import type { Options, Running } from './api.ts';
import { isCode } from './errors.ts';
import { KnownProcesses } from './exec/detached/known.ts';
import type { Journal } from './exec/journal/types.ts';
import { killTree } from './exec/kill/kill-tree.ts';
import { replayExec } from './exec/replayed.ts';
import { checkExecId } from './exec/request.ts';
import type { Where } from './exec/types.ts';
import type { Execs } from './execs.ts';
import type { Context } from './sandbox/context.ts';
import { presentSandbox } from './sandbox/present.ts';

export interface RepeatParts {
  readonly context: Context;
  readonly journal: Journal;
  readonly execs: Execs;
}

/** `null` when the id has no record. Throws `already_exists` when it is that of a detached process. */
export async function repeated(parts: RepeatParts, execId: string, options: Options): Promise<Running | null> {
  checkExecId(execId);
  await new KnownProcesses(parts.context.home).refuse(execId);
  try {
    const cancel = async (): Promise<void> => {
      if (!(await parts.execs.cancel(execId))) await killWhere(parts.context, execId, replay.where);
    };
    const { signal } = options;
    const replay = await replayExec(parts.journal, execId, { cancel, ...(signal === undefined ? {} : { signal }) });
    const row = await parts.context.store.sandbox(replay.where.sandboxId);
    return { ...replay, how: 'found', degraded: row?.degraded ?? [], unsetVariables: [], missingFiles: [] };
  } catch (error) {
    if (isCode(error, 'not_found')) return null;
    throw error;
  }
}

/** Another process runs it, or did: its tree is found by the id, and that process records the end. */
async function killWhere(context: Context, execId: string, where: Where): Promise<void> {
  const row = await context.store.sandbox(where.sandboxId);
  const sandbox = row === null ? null : await presentSandbox(context, row);
  if (sandbox !== null) await killTree(sandbox, execId, { process: null, mayRestart: false });
}
