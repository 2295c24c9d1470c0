/**
 * Puts right what time and crashes did: unfinished creations and removals, ephemeral sandboxes whose process died,
 * sandboxes past their idle time or time to live. Only what no live process works on; nothing is waited for.
 */
import { type CaissonError, toCaissonError } from '../errors.ts';
import { actingAs, itself } from '../lib/author.ts';
import type { Clock } from '../lib/clock.ts';
import { failpoint } from '../lib/failpoint.ts';
import { everySandbox } from '../store/every-sandbox.ts';
import type { SandboxRow } from '../store/store.ts';
import { type Context, processLease, taskLease } from './context.ts';
import { finishStop } from './end.ts';
import { endedBy } from './ended-by.ts';
import { type Expiry, expiryOf, startsIdle } from './expiry.ts';
import { attachIfThere, finish } from './finish.ts';
import { isMember } from '../values/member.ts';
import { usedNow } from './use.ts';
import { isWorking } from './working.ts';

export type Reason = 'unfinished' | 'ownerless' | Expiry;

export interface Swept {
  readonly row: SandboxRow;
  readonly reason: Exclude<Reason, null>;
  readonly error: CaissonError | null;
}

export const explanations: Readonly<Record<Exclude<Reason, null>, string>> = {
  unfinished: 'its creation, stop or removal was cut off',
  ownerless: 'the process that owned this ephemeral sandbox has ended',
  idle: 'not used for longer than its idle lifetime',
  ttl: 'older than its time to live',
};

/** Names that events give to the author and the reason of a removal. */
const authors = {
  unfinished: { by: 'reaper', why: 'unfinished' },
  ownerless: { by: 'reaper', why: 'ownerless' },
  idle: { by: 'sweeper', why: 'idle' },
  ttl: { by: 'sweeper', why: 'lifetime' },
} as const;

/** What would be swept now. Looks only. */
export async function sweepable(
  context: Context,
  clock: Clock = context.clock,
): Promise<readonly Omit<Swept, 'error'>[]> {
  const found: Omit<Swept, 'error'>[] = [];
  for await (const row of everySandbox(context.store.sandboxes)) {
    const reason = await reasonFor(context, row, clock);
    if (reason !== null) found.push({ row, reason });
  }
  return found;
}

export async function sweep(context: Context, clock: Clock = context.clock): Promise<readonly Swept[]> {
  const swept: Swept[] = [];
  for (const { row } of await sweepable(context, clock)) {
    const done = await sweepOne(context, row, clock);
    if (done !== null) swept.push(done);
  }
  return swept;
}

async function reasonFor(context: Context, row: SandboxRow, clock: Clock): Promise<Reason> {
  if (await isHeld(context, taskLease(row.taskId))) return null;
  if (row.ephemeral && !(await isHeld(context, processLease(row.id)))) return 'ownerless';
  // Its process makes an ephemeral sandbox without the lease of the task.
  if (row.ephemeral && row.state === 'creating') return null;
  if (row.state === 'creating' || row.state === 'destroying' || row.state === 'stopping') return 'unfinished';
  if (row.state === 'pooled') return expiryOf(row, clock);
  if (startsIdle(row, clock)) await context.store.sandboxes.update(row.id, usedNow(clock));
  const expiry = expiryOf(row, clock);
  if (expiry === 'idle' && !row.ephemeral && (!(await canStop(context, row)) || (await isWorking(context, row))))
    return null;
  return expiry;
}

async function isHeld(context: Context, key: string): Promise<boolean> {
  return (await context.store.leases.holder(key))?.alive === true;
}

/** A sandbox that is nothing but a record costs nothing while it idles. */
async function canStop(context: Context, row: SandboxRow): Promise<boolean> {
  const { isolation } = await (await context.backend(row.backend)).guarantees();
  return isolation !== 'none';
}

async function sweepOne(context: Context, row: SandboxRow, clock: Clock): Promise<Swept | null> {
  const key = taskLease(row.taskId);
  const reason = await reasonFor(context, row, clock);
  if (reason === null || !(await context.store.leases.acquire(key))) return null;
  const { by, why } = authors[reason];
  try {
    return await actingAs(itself(by, why), () => sweepHeld(context, { row, reason }, clock));
  } finally {
    await context.store.leases.release(key);
  }
}

async function sweepHeld(context: Context, { row, reason }: Omit<Swept, 'error'>, clock: Clock): Promise<Swept | null> {
  const current = await context.store.sandboxes.find(row.id);
  if (current === null || current.generation !== row.generation || current.taskId !== row.taskId) return null;
  if (reason === 'idle' && !(await mayStop(context, current, clock))) return null;
  const stops = current.state === 'stopping' || (reason === 'idle' && !current.ephemeral);
  const keepFiles = !isMember(current.taskId) && (reason === 'ttl' || current.state === 'creating');
  if (current.state === 'pooled') return await outcome(current, reason, () => drainMember(context, current));
  const work = () => (stops ? stop(context, current) : finish(context, current, { keepFiles }));
  return await outcome(current, reason, work);
}

/** Removes a member of the pool, unless a claim comes first. */
export async function drainMember(context: Context, row: SandboxRow): Promise<void> {
  if (!(await context.store.pool.retire(row.id, endedBy('the pool')))) return;
  await failpoint('after-retire');
  await finish(context, { ...row, state: 'destroying' }, { keepFiles: false });
}

/** The verdict was formed from a row that was read a while ago: one transaction looks again, at its uses too. */
async function mayStop(context: Context, row: SandboxRow, clock: Clock): Promise<boolean> {
  if (expiryOf(row, clock) !== 'idle') return false;
  const { id, generation, usedAt, usedBoot, idleMs } = row;
  const intent = { generation, by: endedBy('its idle timeout'), idle: { usedAt, usedBoot, idleMs } };
  return await context.store.uses.beginStop(id, intent);
}

async function stop(context: Context, row: SandboxRow): Promise<void> {
  const backend = await context.backend(row.backend);
  const sandbox = row.ref === null ? null : await attachIfThere(backend, row.ref);
  await finishStop(context, { row, sandbox }, {});
}

async function outcome(row: SandboxRow, reason: Swept['reason'], work: () => Promise<void>): Promise<Swept> {
  try {
    await work();
    return { row, reason, error: null };
  } catch (error) {
    return { row, reason, error: toCaissonError(error) };
  }
}
