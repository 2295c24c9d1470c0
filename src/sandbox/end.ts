/** Stop, start and remove by the caller's wish. */
import type { Sandbox } from '../backend.ts';
import { CaissonError, isCode } from '../errors.ts';
import { failpoint } from '../lib/failpoint.ts';
import { everySandbox } from '../store/every-sandbox.ts';
import type { SandboxRow } from '../store/store.ts';
import { type Context, leaseTimeoutMs, type StepOptions, taskLease } from './context.ts';
import { withdrawCredentials } from './credentials.ts';
import { keptFiles, removeDirectory } from './directory.ts';
import { endedBy } from './ended-by.ts';
import { attachIfThere, finish, type HowToFinish } from './finish.ts';
import { withLease } from './lease.ts';
import { forgetLive } from './live.ts';
import { stopResource } from './power.ts';
import { sandboxMissingError } from './step.ts';
import { isMember } from '../values/member.ts';
import { ownerOf } from '../values/owner.ts';

/** Finds the row of a sandbox by the id of its task or its own. Throws `not_found`. */
export async function findRow(context: Pick<Context, 'store'>, task: string): Promise<SandboxRow> {
  const row = await findIfThere(context, task);
  if (row !== null) return row;
  const rows = await Array.fromAsync(everySandbox(context.store.sandboxes, { owner: ownerOf(task), members: false }));
  const known = rows.filter(({ ephemeral }) => !ephemeral);
  throw sandboxMissingError(
    task,
    known.map(({ taskId }) => taskId),
  );
}

/** A member of the pool is the sandbox of no caller, also by its id. */
export async function findIfThere({ store }: Pick<Context, 'store'>, task: string): Promise<SandboxRow | null> {
  const row = (await store.sandboxes.ofTask(task)) ?? (await store.sandboxes.find(task));
  return row === null || isMember(row.taskId) ? null : row;
}

export async function stopSandbox(context: Context, task: string, options: StepOptions): Promise<void> {
  await underLease(context, task, options, async (row) => {
    const backend = await context.backend(row.backend);
    const sandbox = row.ref === null ? null : await attachIfThere(backend, row.ref);
    if (sandbox !== null && sandbox.power === undefined) {
      throw new CaissonError(
        'not_supported',
        `a sandbox of backend ${row.backend} cannot be stopped and started again`,
        {
          remedy: 'remove it with `caisson rm`',
        },
      );
    }
    if (!(await context.store.uses.beginStop(row.id, { generation: row.generation, by: endedBy('caisson stop') })))
      throw new CaissonError('conflict', `the sandbox of ${row.taskId} is being made or removed`, {
        remedy: 'try again',
      });
    await finishStop(context, { row, sandbox }, options);
  });
}

/** Brings a sandbox that is `stopping` to its end. The caller holds the lease of the task. */
export async function finishStop(
  context: Context,
  { row, sandbox }: { readonly row: SandboxRow; readonly sandbox: Sandbox | null },
  options: StepOptions,
): Promise<void> {
  await failpoint('stopping');
  if (sandbox !== null) await withdrawCredentials(context, row, sandbox);
  if (sandbox !== null) await stopResource(context, { row, sandbox }, options);
  await failpoint('after-stop');
  await context.store.sandboxes.update(row.id, { state: 'stopped' });
  forgetLive(context, row.id);
}

/** Without a sandbox, what an earlier removal has kept of the task's files. Throws `not_found` when there is neither. */
export async function removeSandbox(
  context: Context,
  task: string,
  options: StepOptions & Pick<HowToFinish, 'keepFiles' | 'forget'>,
): Promise<void> {
  const row = await findIfThere(context, task);
  if (row !== null || options.keepFiles || (await keptFiles(context.home, task)).length === 0)
    return underLease(context, task, options, (found) => finishOrLeave(context, found, options));
  await withLease(context.store, taskLease(task), patienceOf(options), async () => {
    const since = await findIfThere(context, task);
    if (since !== null) return finishOrLeave(context, since, options);
    for (const { place, sandboxId } of await keptFiles(context.home, task))
      await removeDirectory(place, task, sandboxId);
  });
}

/** The wish to remove is on record before anything is tried: it is carried out later, which its caller must know. */
async function finishOrLeave(context: Context, row: SandboxRow, how: HowToFinish): Promise<void> {
  try {
    await finish(context, row, how);
  } catch (error) {
    const recorded = await context.store.sandboxes.find(row.id);
    if (!isCode(error, 'unavailable') || recorded?.state !== 'destroying') throw error;
    const what = how.keepFiles ? 'the sandbox' : 'the sandbox and its files';
    throw new CaissonError(
      'unavailable',
      `${error.message}; ${what} will be removed when ${row.backend} answers again`,
      {
        cause: error,
        remedy: `${error.remedy ?? 'start it'}; the next command of Caisson, or \`caisson gc\`, then finishes the removal`,
        details: { ...error.details, taskId: row.taskId, recorded: true },
      },
    );
  }
}

/** The caller's work on the row of a sandbox, whose task no other process changes meanwhile. Throws `not_found`. */
export async function underLease(
  context: Context,
  task: string,
  options: StepOptions,
  work: (row: SandboxRow) => Promise<void>,
): Promise<void> {
  const { taskId } = await findRow(context, task);
  await withLease(context.store, taskLease(taskId), patienceOf(options), async () =>
    work(await findRow(context, task)),
  );
}

function patienceOf({ signal }: StepOptions): { readonly signal: StepOptions['signal']; readonly waitMs: number } {
  return { signal, waitMs: leaseTimeoutMs };
}
