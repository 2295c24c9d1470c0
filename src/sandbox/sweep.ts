/**
 * Puts right what time and crashes did: unfinished creations and removals, ephemeral sandboxes whose process died,
 * sandboxes past their idle time or time to live. Only what no live process works on; nothing is waited for.
 */
import { type CaissonError, toCaissonError } from '../errors.ts';
import type { SandboxRow } from '../store/store.ts';
import { type Context, ownerLease, taskLease } from './context.ts';
import { stopSandbox } from './end.ts';
import { type Expiry, expiryOf } from './expiry.ts';
import { finish } from './finish.ts';
import { isWorking } from './working.ts';

export type Reason = 'unfinished' | 'ownerless' | Expiry;

export interface Swept {
  readonly row: SandboxRow;
  readonly reason: Exclude<Reason, null>;
  readonly error: CaissonError | null;
}

export const explanations: Readonly<Record<Exclude<Reason, null>, string>> = {
  unfinished: 'its creation or removal was cut off',
  ownerless: 'the process that owned this ephemeral sandbox has ended',
  idle: 'not used for longer than its idle lifetime',
  ttl: 'older than its time to live',
};

/** What would be swept now. Looks only. */
export async function sweepable(context: Context, nowMs: number): Promise<readonly Omit<Swept, 'error'>[]> {
  const found: Omit<Swept, 'error'>[] = [];
  for (const row of await context.store.sandboxes()) {
    const reason = await reasonFor(context, row, nowMs);
    if (reason !== null) found.push({ row, reason });
  }
  return found;
}

export async function sweep(context: Context, nowMs: number): Promise<readonly Swept[]> {
  const swept: Swept[] = [];
  for (const { row } of await sweepable(context, nowMs)) {
    const done = await sweepOne(context, row, nowMs);
    if (done !== null) swept.push(done);
  }
  return swept;
}

async function reasonFor(context: Context, row: SandboxRow, nowMs: number): Promise<Reason> {
  if (await isHeld(context, taskLease(row.taskId))) return null;
  if (row.ephemeral && !(await isHeld(context, ownerLease(row.id)))) return 'ownerless';
  // Its owner makes an ephemeral sandbox without the lease of the task.
  if (row.ephemeral && row.state === 'creating') return null;
  if (row.state === 'creating' || row.state === 'destroying') return 'unfinished';
  const expiry = expiryOf(row, nowMs);
  if (expiry === 'idle' && !row.ephemeral && (!(await canStop(context, row)) || (await isWorking(context, row))))
    return null;
  return expiry;
}

async function isHeld(context: Context, key: string): Promise<boolean> {
  return (await context.store.holder(key))?.alive === true;
}

/** A sandbox that is nothing but a record costs nothing while it idles. */
async function canStop(context: Context, row: SandboxRow): Promise<boolean> {
  const { isolation } = await (await context.backend(row.backend)).guarantees();
  return isolation !== 'none';
}

async function sweepOne(context: Context, row: SandboxRow, nowMs: number): Promise<Swept | null> {
  const key = taskLease(row.taskId);
  const reason = await reasonFor(context, row, nowMs);
  if (reason === 'idle' && !row.ephemeral) return await outcome(row, reason, () => stopSandbox(context, row.id, {}));
  if (reason === null || !(await context.store.acquire(key))) return null;
  try {
    const current = await context.store.sandbox(row.id);
    if (current === null || current.generation !== row.generation) return null;
    const keepFiles = reason === 'ttl' || current.state === 'creating';
    return await outcome(current, reason, () => finish(context, current, { keepFiles }));
  } finally {
    await context.store.release(key);
  }
}

async function outcome(row: SandboxRow, reason: Swept['reason'], work: () => Promise<void>): Promise<Swept> {
  try {
    await work();
    return { row, reason, error: null };
  } catch (error) {
    return { row, reason, error: toCaissonError(error) };
  }
}
