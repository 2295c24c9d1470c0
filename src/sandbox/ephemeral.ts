/** Ephemeral sandboxes: each is removed when its exec has ended, and the rest when the process that made them ends. */
import { type Context, leaseTimeoutMs, processLease, taskLease } from './context.ts';
import { finish, type HowToFinish } from './finish.ts';
import { withLease } from './lease.ts';
import { everySandbox } from '../store/every-sandbox.ts';
import type { SandboxRow } from '../store/store.ts';

/** `signal`: see `HowToFinish`; the lease of the task is waited for no longer than until it fires. */
type How = Pick<HowToFinish, 'onSent' | 'signal'>;

export async function removeEphemeral(context: Context, row: SandboxRow, how: How = {}): Promise<void> {
  const patience = { waitMs: leaseTimeoutMs, signal: how.signal };
  await withLease(context.store, taskLease(row.taskId), patience, async () => {
    const current = await context.store.sandboxes.find(row.id);
    if (current !== null)
      await context.gate.passLast(row.backend, () => finish(context, current, { keepFiles: false, ...how }));
  });
}

/** Those that this process made and has not ended: no command was run in them, or (`ending`) their removal is not complete. */
export async function ownedBySelf(
  { store }: Pick<Context, 'store'>,
  { ending }: { readonly ending: boolean },
): Promise<readonly SandboxRow[]> {
  const owned: SandboxRow[] = [];
  for await (const row of everySandbox(store.sandboxes)) {
    if (!row.ephemeral || (row.state === 'destroying' && !ending)) continue;
    if ((await store.leases.holder(processLease(row.id)))?.id === store.holderId) owned.push(row);
  }
  return owned;
}
