/** Whether work goes on in a sandbox that has not been used for a while: a detached process that has not ended. */
import { listProcesses } from '../exec/detached/list.ts';
import { KnownProcesses } from '../exec/detached/known.ts';
import type { SandboxRow } from '../store/store.ts';
import type { Context } from './context.ts';
import { usedNow } from './use.ts';
import { keptIn, presentSandbox } from './present.ts';

/** Asks the sandbox only when something was ever started there. A sandbox that works counts as used. */
export async function isWorking(context: Context, row: SandboxRow): Promise<boolean> {
  const known = await new KnownProcesses(context.store).all();
  if (!known.some(({ sandboxId }) => sandboxId === row.id)) return false;
  try {
    const sandbox = await presentSandbox(context, row);
    if (sandbox === null) return false;
    const processes = await listProcesses(await keptIn(context, row, sandbox));
    if (!processes.some(({ state }) => state === 'running')) return false;
    await context.store.sandboxes.update(row.id, usedNow(context.clock));
    return true;
  } catch {
    // Not known now. To stop what may be at work cannot be made good; the next round asks again.
    return true;
  }
}
