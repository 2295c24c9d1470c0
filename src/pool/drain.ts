/** Removes members of the pool. A claim that comes first keeps its sandbox. */
import { type Context, taskLease } from '../sandbox/context.ts';
import { drainMember } from '../sandbox/sweep.ts';
import { everySandbox } from '../store/every-sandbox.ts';
import type { SandboxRow } from '../store/store.ts';

export const membersIn = async ({ store }: Pick<Context, 'store'>): Promise<readonly SandboxRow[]> =>
  await Array.fromAsync(everySandbox(store.sandboxes, { members: true }));

/** Resolves to how many are gone. Another process that removes one of them has its lease, and is left to it. */
export async function drain(context: Context, rows: readonly SandboxRow[]): Promise<number> {
  const gone = await Promise.all(rows.filter(({ state }) => state === 'pooled').map((row) => drainOne(context, row)));
  return gone.filter(Boolean).length;
}

async function drainOne(context: Context, row: SandboxRow): Promise<boolean> {
  const { leases, sandboxes } = context.store;
  const key = taskLease(row.taskId);
  if (!(await leases.acquire(key))) return false;
  try {
    await context.gate.passLast(row.backend, () => drainMember(context, row));
    return (await sandboxes.find(row.id)) === null;
  } finally {
    await leases.release(key);
  }
}
