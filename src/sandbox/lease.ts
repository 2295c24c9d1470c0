/** Waiting for a lease. The store answers at once; patience, and the end of it, live here. */
import { setTimeout as sleep } from 'node:timers/promises';
import { abortError, CaissonError } from '../errors.ts';
import type { Store } from '../store/store.ts';

export interface Patience {
  readonly signal?: AbortSignal | undefined;
  /** Give up with `conflict` after this long. */
  readonly waitMs: number;
}

/**
 * Runs `work` while this process holds the lease. Others who hold it are waited for: their work (a creation, a removal)
 * ends by itself, or they die and the lease is taken over.
 */
export async function withLease<T>(store: Store, key: string, patience: Patience, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + patience.waitMs;
  for (let pauseMs = 5; !(await store.leases.acquire(key)); pauseMs = Math.min(pauseMs * 1.5, 200)) {
    if (performance.now() > deadline) throw await heldError(store, key);
    await pause(pauseMs, patience.signal);
  }
  try {
    return await work();
  } finally {
    await store.leases.release(key);
  }
}

const fileWaitMs = 10_000;

/** Changes the operator's file while no other process does. */
export async function withConfigFile(store: Store, work: () => Promise<void>): Promise<void> {
  await withLease(store, 'command_allowlist', { waitMs: fileWaitMs }, work);
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    if (signal?.aborted === true) throw abortError(signal);
    throw error;
  }
}

async function heldError(store: Store, key: string): Promise<CaissonError> {
  const holder = await store.leases.holder(key);
  const who = holder === null ? 'another process' : `process ${holder.pid ?? holder.id} on ${holder.host}`;
  return new CaissonError('conflict', `${who} is busy with ${key.replace(':', ' ')} and did not finish in time`, {
    remedy: 'try again, or end that process',
    details: { key },
  });
}
