/** Ephemeral sandboxes that this process made and has not ended: created, but no command was run in them. */
import { type Context, leasePatienceMs, ownerLease, taskLease } from './context.ts';
import { finish } from './finish.ts';
import { withLease } from './lease.ts';

export async function removeOwned(context: Context): Promise<void> {
  const { store } = context;
  for (const row of await store.sandboxes()) {
    const holder = row.ephemeral ? await store.holder(ownerLease(row.id)) : null;
    if (holder?.owner !== store.owner) continue;
    await withLease(store, taskLease(row.taskId), { waitMs: leasePatienceMs }, () =>
      finish(context, row, { keepFiles: false }),
    );
  }
}
