/** Changes of state at the service: they take time, and meanwhile every other one is refused with 409. */
import { CaissonError, isCode } from '../../src/errors.ts';
import type { Account } from './account.ts';
import { statusOf } from './fault.ts';
import { pause } from './pause.ts';
import { isGone, isMoving } from './records.ts';
import type { Handle } from './sdk.ts';

const timeoutMs = 120_000;
const [firstPauseMs, longestPauseMs] = [40, 1000];
const seconds = 60;

export interface Settling {
  readonly signal?: AbortSignal | undefined;
}

/** `null`: it is not there, or about to go. By id or name. */
export async function find(account: Account, idOrName: string, { signal }: Settling = {}): Promise<Handle | null> {
  try {
    const asking = { doing: 'find the sandbox', idempotent: true, signal };
    const found = await account.ask((client) => client.get(idOrName), asking);
    return isGone(found.state) ? null : found;
  } catch (error) {
    if (isCode(error, 'not_found')) return null;
    throw error;
  }
}

export async function present(account: Account, id: string, settling: Settling = {}): Promise<Handle> {
  const found = await find(account, id, settling);
  if (found !== null) return found;
  throw new CaissonError('not_found', `the Daytona sandbox ${id.slice(0, 64)} is gone`, { details: { resource: id } });
}

/** Asks again until the sandbox is in that state; a state that it reaches by itself on the way is waited for. */
export async function bringTo(
  account: Account,
  id: string,
  wanted: 'started' | 'stopped',
  settling: Settling = {},
): Promise<Handle> {
  const deadline = performance.now() + timeoutMs;
  for (let waitMs = firstPauseMs; ; waitMs = Math.min(longestPauseMs, waitMs * 1.5)) {
    const handle = await present(account, id, settling);
    const { state } = handle;
    if (state === wanted || (wanted === 'stopped' && (state === 'archived' || state === 'archiving'))) return handle;
    if (state === 'error' || state === 'build_failed') throw sandboxFailedError(handle);
    if (performance.now() > deadline) throw settleTimeoutError(id, wanted);
    if (!isMoving(state) || state === 'archiving') await change(handle, wanted, settling);
    else await pause(waitMs, settling.signal);
  }
}

/** What another change in between refuses is seen by the next look. */
async function change(handle: Handle, wanted: 'started' | 'stopped', { signal }: Settling): Promise<void> {
  try {
    await (wanted === 'started' ? handle.start(seconds) : handle.stop(seconds));
  } catch (error) {
    const status = statusOf(error);
    if (status === 401 || status === 403 || status === 402) throw error;
    await pause(firstPauseMs * 2, signal);
  }
}

/** Idempotent. Resolves when the service has forgotten it. */
export async function remove(account: Account, idOrName: string, settling: Settling = {}): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (let waitMs = firstPauseMs; ; waitMs = Math.min(longestPauseMs, waitMs * 1.5)) {
    const handle = await look(account, idOrName, settling);
    if (handle === null || handle.state === 'destroyed') return;
    if (performance.now() > deadline) throw settleTimeoutError(idOrName, 'deleted');
    if (!isMoving(handle.state))
      await account.ask(() => forget(handle), {
        doing: 'delete the sandbox',
        idempotent: true,
        signal: settling.signal,
      });
    await pause(waitMs, settling.signal);
  }
}

async function look(account: Account, idOrName: string, { signal }: Settling): Promise<Handle | null> {
  try {
    return await account.ask((client) => client.get(idOrName), { doing: 'find the sandbox', idempotent: true, signal });
  } catch (error) {
    if (isCode(error, 'not_found')) return null;
    throw error;
  }
}

async function forget(handle: Handle): Promise<void> {
  try {
    await handle.delete(seconds);
  } catch (error) {
    // Gone already, or another change is under way.
    if (![400, 404, 409].includes(statusOf(error) ?? 0)) throw error;
  }
}

export function sandboxFailedError({ id, state, errorReason }: Handle): CaissonError {
  return new CaissonError('unavailable', `the Daytona sandbox ${id} has failed`, {
    details: { resource: id, state: state ?? null, reason: (errorReason ?? '').slice(0, 200) },
    remedy: 'see its reason in the dashboard of Daytona; remove it to begin anew',
  });
}

function settleTimeoutError(id: string, wanted: string): CaissonError {
  return new CaissonError(
    'timed_out',
    `the Daytona sandbox ${id.slice(0, 64)} was not ${wanted} within ${timeoutMs / 1000} s`,
    {
      details: { resource: id },
      remedy: 'try again; see its state in the dashboard of Daytona',
    },
  );
}
