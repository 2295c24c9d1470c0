/** Makes one member of the pool: intent before effect, and measured before it is offered. */
import { failpoint } from '../lib/failpoint.ts';
import { type Context, taskLease } from '../sandbox/context.ts';
import { placeSandbox, rowOf } from '../sandbox/create.ts';
import { finish } from '../sandbox/finish.ts';
import { newSandboxId } from '../sandbox/identity.ts';
import { withLease } from '../sandbox/lease.ts';
import { measured } from '../sandbox/measure.ts';
import type { SandboxRow } from '../store/store.ts';
import { memberTask } from '../values/member.ts';
import { CaissonError } from '../errors.ts';
import type { Entry } from './entries.ts';

/** Its lease is free: the id is new. */
const patience = { waitMs: 0 };

/** Throws what a creation throws; nothing is left then, but what a place that does not answer keeps until the next sweep. */
export async function fillOne(context: Context, entry: Entry): Promise<void> {
  const id = newSandboxId();
  const taskId = memberTask(id);
  await withLease(context.store, taskLease(taskId), patience, async () => {
    const plan = { ...entry.plan, taskId };
    const { entry: name, image, key } = entry.wanted;
    const row = { ...rowOf(context, plan, id), fingerprint: key, pool: { entry: name, image } };
    await context.store.sandboxes.insert(row);
    await failpoint('after-intent');
    const handle = await placeSandbox(context, { plan, row, how: 'created' }, {});
    await offer(context, handle);
  });
}

async function offer(context: Context, handle: Awaited<ReturnType<typeof placeSandbox>>): Promise<void> {
  const { row, sandbox } = handle;
  try {
    prove(row, await measured(context, row, sandbox));
    await failpoint('before-offer');
    await context.store.pool.offer(row.id);
  } catch (error) {
    await finish(context, row, { keepFiles: false });
    throw error;
  }
}

/** One that cannot tell what holds in it is not offered: a creation shows its caller that, and a claim would not. */
function prove({ id, pool }: SandboxRow, effective: SandboxRow['effective']): void {
  if (effective !== null) return;
  throw new CaissonError('failed_precondition', `a member of the pool ${pool?.entry ?? ''} cannot be measured`, {
    remedy: 'take an image with a shell, or remove the entry of the pool',
    details: { sandboxId: id },
  });
}
