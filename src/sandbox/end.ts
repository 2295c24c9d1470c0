/** Stop, start and remove by the caller's wish. */
import { CaissonError } from '../errors.ts';
import type { SandboxRow } from '../store/store.ts';
import { cancelable, type Context, leasePatienceMs, type StepOptions, taskLease } from './context.ts';
import { withdrawCredentials } from './credentials.ts';
import { attachIfThere, finish } from './finish.ts';
import { withLease } from './lease.ts';
import { forgetLive } from './live.ts';
import { noSandbox } from './step.ts';

/** By task id or sandbox id. Throws `not_found`. */
export async function findRow(context: Context, task: string): Promise<SandboxRow> {
  const row = (await context.store.sandboxOfTask(task)) ?? (await context.store.sandbox(task));
  if (row !== null) return row;
  throw noSandbox(task);
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
    if (sandbox !== null) await withdrawCredentials(context, row, sandbox);
    await sandbox?.power?.stop(cancelable(options));
    await context.store.updateSandbox(row.id, { state: 'stopped' });
    forgetLive(context, row.id);
  });
}

export async function removeSandbox(
  context: Context,
  task: string,
  options: StepOptions & { readonly keepFiles: boolean },
): Promise<void> {
  await underLease(context, task, options, (row) => finish(context, row, { keepFiles: options.keepFiles }));
}

async function underLease(
  context: Context,
  task: string,
  options: StepOptions,
  work: (row: SandboxRow) => Promise<void>,
): Promise<void> {
  const { taskId } = await findRow(context, task);
  const patience = { signal: options.signal, waitMs: leasePatienceMs };
  await withLease(context.store, taskLease(taskId), patience, async () => work(await findRow(context, task)));
}
