/** Ephemeral sandboxes: each is removed when its exec has ended, and the rest when the process that made them ends. */
import { type Context, leasePatienceMs, processLease, taskLease } from './context.ts';
import { finish } from './finish.ts';
import { withLease } from './lease.ts';
import type { SandboxRow } from '../store/store.ts';

/** `onSent`: see `DestroyOptions`. */
export async function removeEphemeral(context: Context, row: SandboxRow, onSent?: () => void): Promise<void> {
  await withLease(context.store, taskLease(row.taskId), { waitMs: leasePatienceMs }, async () => {
    const current = await context.store.sandbox(row.id);
    if (current !== null)
      await context.gate.passLast(row.backend, () => finish(context, current, { keepFiles: false, onSent }));
  });
}

/** Those that this process made and has not ended: no command was run in them, or (`ending`) their removal is not complete. */
export async function removeOwned(context: Context, { ending }: { readonly ending: boolean }): Promise<void> {
  const { store } = context;
  for (const row of await store.sandboxes()) {
    if (row.state === 'destroying' && !ending) continue;
    const holder = row.ephemeral ? await store.holder(processLease(row.id)) : null;
    if (holder?.id === store.holderId) await removeEphemeral(context, row);
  }
}
