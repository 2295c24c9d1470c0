/** Has a sandbox measured once and its answer kept, off the path of commands. */
import type { Sandbox } from '../backend.ts';
import { CaissonError, isCode, toCaissonError } from '../errors.ts';
import type { SandboxRow } from '../store/store.ts';
import type { Context } from './context.ts';
import type { Effective } from './effective.ts';
import { whoEnded } from './ended-by.ts';
import { heedMemory } from './live.ts';
import { probe } from './probe.ts';

/** Starts measuring; `measured` waits for it. */
export function measure(context: Context, row: SandboxRow, sandbox: Sandbox): void {
  const work = measureNow(context, row, sandbox).finally(() => context.measuring.delete(row.id));
  work.catch(() => undefined); // `measured` reports it to its callers, if it has any
  context.measuring.set(row.id, work);
}

/** What is known, what is under way, or a new measurement. `null` when the sandbox cannot tell. */
export async function measured(context: Context, row: SandboxRow, sandbox: Sandbox): Promise<SandboxRow['effective']> {
  const underWay = context.measuring.get(row.id);
  if (underWay !== undefined) return await underWay;
  return row.effective ?? (await measureNow(context, row, sandbox));
}

/** The measurement under way, or a new one, whatever is known from before. */
export async function measuredAnew(context: Context, row: SandboxRow, sandbox: Sandbox): Promise<Effective | null> {
  return (await context.measuring.get(row.id)) ?? (await measureNow(context, row, sandbox));
}

async function measureNow(context: Context, row: SandboxRow, sandbox: Sandbox): Promise<Effective | null> {
  const effective = await probe(sandbox).catch(async (error: unknown) => {
    throw await endedMeanwhile(context, row, error);
  });
  heedMemory(context, row.id, effective);
  try {
    if (effective !== null) await context.store.sandboxes.update(row.id, { effective });
  } catch (error) {
    if (!isCode(error, 'not_found')) throw error; // removed meanwhile
  }
  return effective;
}

/** The caller asked for a sandbox, and knows of no command that was lost in it. */
async function endedMeanwhile(context: Context, row: SandboxRow, error: unknown): Promise<unknown> {
  const why = isCode(error, 'unavailable') || isCode(error, 'not_found') ? await whoEnded(context, row) : null;
  if (why === null) return error;
  const about = why.replace('while the command ran', 'meanwhile');
  return new CaissonError('unavailable', `the sandbox of ${row.taskId} is not ready: ${about}`, {
    cause: toCaissonError(error),
    remedy: 'ask for it again',
    details: { taskId: row.taskId, sandboxId: row.id },
  });
}
