/** Gives up a sandbox whose host does not answer, on the word of the operator that the host is gone. */
import type { Sandbox } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import type { SandboxRow } from '../store/store.ts';
import { cancelable, type Context, type StepOptions } from './context.ts';
import { endedBy } from './ended-by.ts';
import { finishStop, underLease } from './end.ts';
import { attachIfThere, finish } from './finish.ts';
import { forgetLive } from './live.ts';

export const whyAbandoned = 'its host does not answer, and the operator gives it up';

type Abandonable = Sandbox & Required<Pick<Sandbox, 'abandon'>>;

/**
 * It is stopped then, or removed where it keeps no files or was to be removed. With `dryRun` nothing is changed. Throws
 * `failed_precondition` while its host answers: then it can be stopped and removed.
 */
export async function abandonSandbox(
  context: Context,
  task: string,
  { dryRun, ...options }: StepOptions & { readonly dryRun: boolean },
): Promise<SandboxRow> {
  const found = Promise.withResolvers<SandboxRow>();
  await underLease(context, task, options, async (row) => {
    const sandbox = await unresponsive(context, row);
    found.resolve(row);
    if (!dryRun) await giveUp(context, { row, sandbox }, options);
  });
  return await found.promise;
}

async function unresponsive(context: Context, row: SandboxRow): Promise<Abandonable> {
  const backend = await context.backend(row.backend);
  const sandbox = row.ref === null ? null : await attachIfThere(backend, row.ref);
  if (sandbox?.state === 'unresponsive' && isAbandonable(sandbox)) return sandbox;
  const state = sandbox?.state ?? 'gone';
  throw new CaissonError('failed_precondition', `the sandbox of ${row.taskId} is not unresponsive: it is ${state}`, {
    details: { taskId: row.taskId, state },
    remedy: `stop it with \`caisson stop ${row.taskId}\`, or remove it with \`caisson rm ${row.taskId}\``,
  });
}

function isAbandonable(sandbox: Sandbox): sandbox is Abandonable {
  return sandbox.abandon !== undefined;
}

/** On record before anything is tried. After a crash the next verb finds what the place has then. */
async function giveUp(
  context: Context,
  { row, sandbox }: { readonly row: SandboxRow; readonly sandbox: Abandonable },
  options: StepOptions,
): Promise<void> {
  const { id: sandboxId, backend, taskId } = row;
  await context.audit.record({ type: 'abandon', taskId, execId: null, sandboxId, backend });
  await sandbox.abandon(cancelable(options));
  forgetLive(context, row.id);
  if (row.state === 'destroying' || sandbox.power === undefined || row.ephemeral)
    return await finish(context, row, { keepFiles: row.directory === null });
  const ending = { generation: row.generation, by: endedBy('caisson gc --force') };
  // One that is being made stays so: the next command makes it.
  if (await context.store.uses.beginStop(row.id, ending)) await finishStop(context, { row, sandbox: null }, options);
}
